// How every page looks: colours for light and dark, and the layout of charts and tables, from a phone's width on.
#pragma once

namespace brushfire {

inline constexpr const char* page_style = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --quiet: #5f656e; --page: #fff; --rule: #d9dce1; --plain: #d9541e;
        --push: #d9541e; --pull: #2468b0; --mixed: #8a4f9e; --faint: #a9aeb6; --tall: 14rem; --tip: 2.7rem; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --quiet: #a1a8b2; --page: #16181b; --rule: #363a41; --plain: #f2793d;
          --push: #f2793d; --pull: #62a5ea; --mixed: #c590d8; --faint: #6a7079; }
}
@media (max-width: 40rem) { :root { --tip: 4.05rem; } }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem; background: var(--page); color: var(--ink);
       font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.1rem; margin: 0; font-weight: 600; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: .95rem; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h4 { font-size: .8rem; margin: .9rem 0 .2rem; font-weight: 500; color: var(--quiet); }
p { overflow-wrap: anywhere; }
.headline { font-size: 2.6rem; font-weight: 700; line-height: 1.2; margin: .3rem 0 0; }
.quiet, figcaption { color: var(--quiet); font-size: .9rem; margin: 0; }
.bad { color: var(--plain); font-weight: 700; }
figure { margin: 2rem 0 0; }

/* A chart. The lines below its marks show the numbers of the one that is pointed at. They have room for two lines, for
   three on a phone; what is longer covers the caption, so that nothing is cut off and nothing moves. */
.plot { position: relative; padding-bottom: calc(var(--tip) + .5rem); }
.plot::after { content: "Point at a mark, or tap it, for its numbers."; }
.plot::after, .tip { position: absolute; left: 0; right: 0; top: calc(100% - var(--tip)); min-height: var(--tip);
                     font-size: .85rem; line-height: 1.35rem; color: var(--quiet); overflow-wrap: anywhere; }
.tip { display: none; background: var(--page); color: var(--ink); z-index: 1; font-variant-numeric: tabular-nums; }
.mark { outline: none; }
.mark:hover > .tip, .mark:focus > .tip { display: block; }
.mark:hover > .tip { z-index: 2; }
.mark:hover i, .mark:focus i { filter: brightness(1.25); }
i.plain { background: var(--plain); } i.push { background: var(--push); } i.pull { background: var(--pull); }
i.mixed { background: var(--mixed); } i.quiet { background: var(--faint); }

.columns { display: flex; align-items: flex-end; gap: 2px; height: 9rem; border-bottom: 1px solid var(--rule); }
.columns.many, .strip.many { gap: 0; }
h4 + .columns { height: 5rem; }
.columns > .mark { flex: 1 1 0; min-width: 0; height: 100%; display: flex; align-items: flex-end; }
.columns:first-child > .mark { max-width: 4rem; }
.columns i { width: 100%; min-height: 1px; }
.line { display: block; height: 0; border-top: 1px dashed var(--ink); pointer-events: none;
        margin-top: calc(-9rem * var(--at)); margin-bottom: calc(9rem * var(--at)); }

.strip { display: flex; gap: 1px; height: 2rem; }
.strip > .mark { flex: 0 1 0; min-width: 1px; display: flex; }
.strip.many > .mark { min-width: 0; }
.strip i { width: 100%; overflow: hidden; color: var(--page); font: 600 .75rem/2rem system-ui, sans-serif;
           text-align: center; }

.bars > .mark { display: grid; grid-template-columns: minmax(5.5rem, 30%) 1fr 5.5rem; gap: .6rem; align-items: center;
                font-size: .85rem; padding: .1rem 0; }
.bars .label { overflow-wrap: anywhere; }
.bars .value { text-align: right; font-variant-numeric: tabular-nums; }
.bars i { display: block; height: .8rem; min-width: 1px; }

/* One cell of a fixed size, all marks and labels in it: what is high up in it must not stretch it. The margin is for a
   label at its top. */
.xy { display: grid; grid-template: 100% / 100%; height: var(--tall); margin: 1.1rem 1.5rem 0 0;
      border: solid var(--rule); border-width: 0 0 1px 1px; }
.xy > * { grid-area: 1 / 1; align-self: end; justify-self: start; }
.xy > svg { width: 100%; height: 100%; overflow: hidden; }
.xy > .mark > i { display: block; width: 11px; height: 11px; border-radius: 50%; margin: 0 0 -5.5px -5.5px; }
.xy line { stroke: var(--quiet); stroke-dasharray: 5 4; vector-effect: non-scaling-stroke; }
.tick { font-size: .75rem; line-height: 1rem; color: var(--quiet); white-space: nowrap; pointer-events: none;
        background: var(--page); }
.tick.x { margin-bottom: -1.3rem; transform: translateX(-50%); }
.tick.y { padding-left: .3rem; border-bottom: 1px solid var(--rule); }
.unit { margin: 1.4rem 0 0; font-size: .75rem; color: var(--quiet); text-align: center; }

.legend { margin: .2rem 0; font-size: .85rem; }
.legend span { margin-right: 1rem; }
.legend i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; vertical-align: -.05rem; }

details { margin-top: .4rem; }
summary { cursor: pointer; color: var(--quiet); font-size: .9rem; }
details.run { margin-top: 1.5rem; border-top: 1px solid var(--rule); padding-top: .5rem; }
details.run > summary { color: var(--ink); font-size: 1.1rem; font-weight: 600; overflow-wrap: anywhere; }
.wide { overflow: auto; max-height: 32rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .9rem .25rem 0; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { color: var(--quiet); font-weight: 500; }
.facts { max-height: none; }
.facts th, .facts td { text-align: left; white-space: normal; overflow-wrap: anywhere; vertical-align: top; }
.facts th { min-width: 6rem; }
)";

}  // namespace brushfire
