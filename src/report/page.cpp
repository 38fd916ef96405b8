#include "report/page.hpp"

#include <brushfire/report.hpp>

#include <fmt/format.h>

namespace brushfire {

namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --quiet: #666c75; --page: #fff; --rule: #d9dce1; --bar: #d9541e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --quiet: #9aa1ab; --page: #16181b; --rule: #363a41; --bar: #f2793d; }
}
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem; background: var(--page); color: var(--ink);
       font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.1rem; margin: 0; font-weight: 600; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
.headline { font-size: 2.6rem; font-weight: 700; line-height: 1.2; margin: .3rem 0 0; }
.quiet, figcaption { color: var(--quiet); font-size: .9rem; margin: 0; }
figure { margin: 1.5rem 0 0; }
svg { display: block; width: 100%; height: 12rem; border-bottom: 1px solid var(--rule); }
rect { fill: var(--bar); } rect:hover { opacity: .7; }
line { stroke: var(--ink); stroke-dasharray: 4 4; vector-effect: non-scaling-stroke; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .9rem .25rem 0; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { color: var(--quiet); font-weight: 500; }
.facts th, .facts td { text-align: left; white-space: normal; overflow-wrap: anywhere; vertical-align: top; }
.bad { color: var(--bar); font-weight: 700; }
.relative { min-width: 6rem; } .bar { height: .25rem; background: var(--bar); margin-left: auto; }
)";

}  // namespace

std::string escaped(std::string_view text)
{
  std::string safe;
  for (char const c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string fact(std::string_view name, std::string_view value)
{
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
}

std::string page(std::string_view title, const std::string& body)
{
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
             escaped(title), style) +
         body + fmt::format("<p class=\"quiet\">brushfire {}</p>\n</body>\n</html>\n", escaped(version()));
}

}  // namespace brushfire
