// Which stores there are. Calling a method of a store makes the store, and looking at a page should not.

import { get } from './api.js';

const known = new Set();

export const storeOf = (method) => method.split('.')[0];

// A store that is there stays; one that is not is asked for again.
export async function isThere(store, signal) {
  if (known.has(store)) return true;
  const { stores } = await get('/v1/status', {}, { signal });
  for (const one of stores) if (one.state !== 'absent') known.add(one.store);
  return known.has(store) || !stores.some((one) => one.store === store); // recall and stele are no stores
}
