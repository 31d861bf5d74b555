/* sides.c - which sides are compared, and in what. */
#include "conversation/side.h"

const struct bench_deed_told bench_deeds[BENCH_DEED_COUNT] = {
#define DEED(name, count) {#name, count},
    BENCH_DEEDS(DEED)
#undef DEED
};

bench_side **bench_sides(const bench_options *options) {
  static bench_side *on_files[] = {&bench_stele, &bench_limit, &bench_original, NULL};
  static bench_side *in_database[] = {&bench_stele, NULL, NULL};
  in_database[1] = bench_plain;
  return options->database ? in_database : on_files;
}

bench_path bench_side_home(const bench_side *side, const bench_options *options) {
  return bench_join(options->dir, side->name);
}
