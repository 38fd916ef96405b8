#include "report/page.hpp"

#include "report/page_style.hpp"

#include <brushfire/report.hpp>

#include <fmt/format.h>

namespace brushfire {

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
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
}

std::string facts(const std::string& rows) { return "<table class=\"facts\">\n" + rows + "</table>\n"; }

std::string page(std::string_view title, const std::string& body)
{
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
             escaped(title), page_style) +
         body + fmt::format("<p class=\"quiet\">brushfire {}</p>\n</body>\n</html>\n", escaped(version()));
}

}  // namespace brushfire
