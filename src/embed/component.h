/* component.h - how much a word says, and what all texts have in common.
**
** Common words say little: a word of probability p weighs a / (a + p) ("smooth inverse frequency").  A file of
** vectors does not tell probabilities, but it is sorted by them, and in every language the word of rank r makes
** up about one tenth / r of a text (Zipf's law).
**
** What remains is a direction that all texts share.  It says nothing about any of them, and is taken out of the
** vectors: the first principal component of texts that are imagined to be a few words each, drawn with these
** probabilities from the most frequent ones. */
#ifndef ST_COMPONENT_H
#define ST_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>

#define ST_COMPONENT_WORDS 20000 /* most words that it is made of; nine tenths of every text */

double st_zipf_probability(size_t rank); /* from 0 */
double st_zipf_weight(size_t rank, double a);

/* The component of `count` vectors, each with its weight and its probability: of length one.  False: they have
** none, all are zero.  There must be room for ST_COMPONENT_ROOM times as many numbers as it has. */
#define ST_COMPONENT_ROOM 3
bool st_component_find(const float *vectors, const float *weights, const double *probabilities, size_t count,
                       size_t dimension, double *component);

/* Take it out of a vector. */
void st_component_remove(const double *component, float *vector, size_t dimension);

#endif
