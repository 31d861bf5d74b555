/* action.c - see action.h. */
#include "action.h"

#include <stddef.h>

#include "key.h"

#define FIND (PLACE_QUERY | PLACE_LIST)
#define LETTERS (PLACE_LIST | PLACE_READER)
#define ALL (PLACE_QUERY | PLACE_LIST | PLACE_READER | PLACE_HELP)

const binding action_keys[] = {
    {KEY_UP, ALL, ACTION_UP, "Up, Down, PgUp, PgDn    move; also Ctrl-P and Ctrl-N"},
    {KEY_DOWN, ALL, ACTION_DOWN, "Home, End               to the first, to the last"},
    {KEY_ENTER, FIND, ACTION_OPEN, "Enter                   open the session, or what happened around it"},
    {KEY_ESCAPE, ALL, ACTION_BACK, "Esc                     back; in the query: empty it"},
    {KEY_TAB, FIND, ACTION_SWITCH, "Tab                     between query and list; in the list letters are keys"},
    {KEY_CTRL('y'), FIND | PLACE_READER, ACTION_COPY, "Ctrl-Y, y               copy the text to the terminal's clipboard"},
    {KEY_CTRL('r'), FIND | PLACE_READER, ACTION_RESUME, "Ctrl-R, r               leave, and go on with the session in its own agent"},
    {KEY_ALT('s'), FIND, ACTION_STORE, "Alt-S, F2, s            filter by store: each time the next"},
    {KEY_ALT('k'), FIND, ACTION_KIND, "Alt-K, F3, k            by kind"},
    {KEY_ALT('o'), FIND, ACTION_ROLE, "Alt-O, F4, o            by role: who said it"},
    {KEY_ALT('p'), FIND, ACTION_PROJECT, "Alt-P, F5, p            by project: first this directory"},
    {KEY_ALT('t'), FIND, ACTION_SINCE, "Alt-T, F6, t            by time"},
    {KEY_ALT('x'), FIND, ACTION_UNFILTER, "Alt-X, F7, x            no filter"},
    {KEY_CTRL('t'), FIND, ACTION_PREVIEW, "Ctrl-T, v               preview on and off"},
    {KEY_ALT('n'), FIND, ACTION_PREVIEW_DOWN, "Alt-N, Alt-B            scroll the preview"},
    {KEY_RIGHT, PLACE_READER, ACTION_NEXT_PASSAGE, "Left, Right             in a session: message by message"},
    {'n', PLACE_READER, ACTION_NEXT_MATCH, "n, N                    in a session: the next match, the one before"},
    {KEY_F(1), FIND | PLACE_READER, ACTION_HELP, "?, F1                   this help; behind other words ? is typed into the query"},
    {KEY_CTRL('c'), ALL, ACTION_LEAVE, "Ctrl-C, q               leave; q closes a session first, in a query it is typed"},
    /* The same by other keys. */
    {KEY_CTRL('p'), ALL, ACTION_UP, NULL},
    {KEY_CTRL('n'), ALL, ACTION_DOWN, NULL},
    {KEY_PAGE_UP, ALL, ACTION_PAGE_UP, NULL},
    {KEY_PAGE_DOWN, ALL, ACTION_PAGE_DOWN, NULL},
    {KEY_HOME, ALL, ACTION_FIRST, NULL},
    {KEY_END, ALL, ACTION_LAST, NULL},
    {KEY_ALT('b'), FIND, ACTION_PREVIEW_UP, NULL},
    {KEY_F(2), FIND, ACTION_STORE, NULL},
    {KEY_F(3), FIND, ACTION_KIND, NULL},
    {KEY_F(4), FIND, ACTION_ROLE, NULL},
    {KEY_F(5), FIND, ACTION_PROJECT, NULL},
    {KEY_F(6), FIND, ACTION_SINCE, NULL},
    {KEY_F(7), FIND, ACTION_UNFILTER, NULL},
    {KEY_LEFT, PLACE_READER, ACTION_LAST_PASSAGE, NULL},
    {KEY_CTRL('l'), ALL, ACTION_REDRAW, NULL},
    {KEY_CTRL('z'), ALL, ACTION_SUSPEND, NULL},
    {'y', LETTERS, ACTION_COPY, NULL},
    {'r', LETTERS, ACTION_RESUME, NULL},
    {'s', PLACE_LIST, ACTION_STORE, NULL},
    {'k', PLACE_LIST, ACTION_KIND, NULL},
    {'o', PLACE_LIST, ACTION_ROLE, NULL},
    {'p', PLACE_LIST, ACTION_PROJECT, NULL},
    {'t', PLACE_LIST, ACTION_SINCE, NULL},
    {'x', PLACE_LIST, ACTION_UNFILTER, NULL},
    {'v', PLACE_LIST, ACTION_PREVIEW, NULL},
    {'/', PLACE_LIST, ACTION_SWITCH, NULL},
    {' ', PLACE_READER | PLACE_HELP, ACTION_PAGE_DOWN, NULL},
    {'j', PLACE_READER | PLACE_HELP, ACTION_DOWN, NULL},
    {'k', PLACE_READER | PLACE_HELP, ACTION_UP, NULL},
    {'N', PLACE_READER, ACTION_LAST_MATCH, NULL},
    {KEY_ENTER, PLACE_HELP, ACTION_BACK, NULL},
    {'?', LETTERS, ACTION_HELP, NULL},
    {'?', PLACE_HELP, ACTION_BACK, NULL},
    {'q', PLACE_LIST, ACTION_LEAVE, NULL},
    {'q', PLACE_READER | PLACE_HELP, ACTION_BACK, NULL},
    {0, 0, ACTION_NONE, NULL},
};

action action_of(const key *k, place in) {
  int code = k->code == KEY_TEXT ? (k->text[1] ? 0 : k->text[0]) : k->code;
  for (const binding *b = action_keys; b->does; b++)
    if (b->key == code && (b->places & (unsigned)in)) return b->does;
  return ACTION_NONE;
}
