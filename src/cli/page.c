/* page.c - see page.h. */
#include "page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define WIDEST 100 /* lines longer than this are hard to read */

/* ---- As input of man(1) ---- */

/* Characters that roff would take for something else are written by their names; lists may be broken behind
** each of their members. */
static void put_roff(output *out, const char *text, size_t length) {
  static const struct {
    char c;
    const char *name;
  } names[] = {{'\\', "\\(rs"}, {'-', "\\-"}, {'`', "\\(ga"}, {'\'', "\\(aq"}, {'^', "\\(ha"}, {'~', "\\(ti"},
               {'|', "|\\:"}, {',', ",\\:"}};
  for (size_t i = 0; i < length; i++) {
    const char *name = NULL;
    for (size_t n = 0; n < sizeof names / sizeof *names && !name; n++)
      if (names[n].c == text[i]) name = names[n].name;
    if (i == 0 && text[i] == '.') name = "\\&.";
    if (name)
      out_text(out, name);
    else
      out_format(out, "%c", text[i] == '\n' ? ' ' : text[i]);
  }
}

static void roff_lines(output *out, const char *lines) {
  out_text(out, ".RS 2\n.nf\n");
  while (*lines) {
    size_t length = strcspn(lines, "\n");
    put_roff(out, lines, length);
    out_text(out, "\n");
    lines += length + (lines[length] != '\0');
  }
  out_text(out, ".fi\n.RE\n");
}

/* A heading; in capitals if it is a section's. */
static void roff_heading(output *out, const char *request, const char *title, bool capitals) {
  char *text = text_format("%s", title);
  for (char *at = text; capitals && *at; at++) *at = (char)toupper((unsigned char)*at);
  out_format(out, "%s \"", request);
  put_roff(out, text, strlen(text));
  out_text(out, "\"\n");
  free(text);
}

/* ---- On a terminal ---- */

static size_t limit_of(const output *out, size_t indent) {
  size_t limit = out->width && out->width < WIDEST ? out->width : WIDEST;
  return limit > indent + 20 ? limit : indent + 20;
}

/* A paragraph, of which the first line has begun already at `indent`. */
static void fill(output *out, const char *text, size_t length, size_t indent) {
  const char *end = text + length;
  size_t limit = limit_of(out, indent), used = indent;
  while (text < end) {
    size_t word = strcspn(text, " \n");
    if (word > (size_t)(end - text)) word = (size_t)(end - text);
    char *copy = text_need(strndup(text, word));
    size_t width = text_width(copy);
    free(copy);
    if (used > indent && used + 1 + width > limit) {
      out_format(out, "\n%*s", (int)indent, "");
      used = indent;
    }
    out_format(out, "%s%.*s", used > indent ? " " : "", (int)word, text);
    used += width + (used > indent);
    text += word;
    while (text < end && (*text == ' ' || *text == '\n')) text++;
  }
  out_text(out, "\n");
}

/* ---- Both ---- */

void page_begin(help_page *p, const char *name, int section, const char *summary, const char *usage) {
  if (!p->man) return;
  out_format(p->out, ".TH \"%s\" \"%d\" \"\" \"Stele " STELE_VERSION "\" \"Stele\"\n.nh\n.ad l\n", name, section);
  roff_heading(p->out, ".SH", "Name", true);
  put_roff(p->out, name, strlen(name));
  out_text(p->out, " \\- ");
  put_roff(p->out, summary, strlen(summary));
  out_text(p->out, "\n");
  if (!*usage) return;
  roff_heading(p->out, ".SH", "Synopsis", true);
  roff_lines(p->out, usage);
}

void page_lines(help_page *p, const char *lines) {
  if (p->man) {
    roff_lines(p->out, lines);
    return;
  }
  while (*lines) {
    size_t length = strcspn(lines, "\n");
    out_format(p->out, "  %.*s\n", (int)length, lines);
    lines += length + (lines[length] != '\0');
  }
}

void page_examples(help_page *p, const char *lines) {
  if (p->man) roff_heading(p->out, ".SH", "Examples", true);
  page_lines(p, lines);
}

void page_usage(help_page *p, const char *usage) {
  if (p->man)
    roff_heading(p->out, ".SH", "Description", true);
  else
    out_format(p->out, "\nusage: %s\n\n", usage);
}

void page_section(help_page *p, const char *title) {
  if (p->man)
    roff_heading(p->out, ".SH", title, true);
  else
    out_format(p->out, "\n%s%s%s\n", p->out->bold, title, p->out->normal);
}

void page_topic(help_page *p, const char *name) {
  if (p->man)
    roff_heading(p->out, ".SH", name, false);
  else
    page_section(p, name);
}

void page_gap(help_page *p) {
  out_text(p->out, p->man ? ".PP\n" : "\n");
}

void page_part(help_page *p, const char *title) {
  if (p->man)
    roff_heading(p->out, ".SS", title, false);
  else
    page_section(p, title);
}

void page_text(help_page *p, const char *text) {
  const char *separator = "";
  while (*text) {
    const char *gap = strstr(text, "\n\n");
    size_t length = gap ? (size_t)(gap - text) : strlen(text);
    if (p->man) {
      out_text(p->out, ".PP\n");
      put_roff(p->out, text, length);
      out_text(p->out, "\n");
    } else {
      out_text(p->out, separator);
      fill(p->out, text, length, 0);
    }
    separator = "\n";
    text += length;
    text += strspn(text, "\n");
  }
}

void page_item(help_page *p, const char *term, size_t room, const char *text) {
  if (p->man) {
    out_text(p->out, ".TP\n.B ");
    put_roff(p->out, term, strlen(term));
    out_text(p->out, "\n");
    put_roff(p->out, text, strlen(text));
    out_text(p->out, "\n");
    return;
  }
  size_t width = text_width(term), indent = room + 4;
  out_format(p->out, "  %s", term);
  if (width > room)
    out_format(p->out, "\n%*s", (int)indent, "");
  else
    out_format(p->out, "%*s", (int)(room - width + 2), "");
  fill(p->out, text, strlen(text), indent);
}
