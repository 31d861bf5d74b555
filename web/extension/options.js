// Which sites are wanted, and whether Stele is there.

import { domains as read, patterns, within } from './domains.js';
import { ask } from './host.js';
import { change, settings } from './settings.js';

const at = (id) => document.getElementById(id);

function say(id, text, wrong = false) {
  at(id).textContent = text;
  at(id).classList.toggle('wrong', wrong);
}

// ---- What is wanted ----

let current = { domains: [] }; // as it was last shown

// Before anything else is waited for: the browser asks the person only as the answer to a click.
async function save(event) {
  event.preventDefault();
  const [domains, bad] = read(at('domains').value), origins = patterns(domains), before = current.domains;
  const granted = origins.length === 0 || await chrome.permissions.request({ origins }).catch(() => false);
  const dropped = patterns(before.filter((name) => !domains.includes(name)));
  await change({ enabled: at('enabled').checked, domains });
  if (dropped.length > 0) await chrome.permissions.remove({ origins: dropped }).catch(() => {});
  show();
  if (bad.length > 0) say('saved', `Saved, without what is no site: ${bad.join(', ')}`, true);
  else if (!granted) say('saved', 'Saved. The browser does not let Stele read these sites, so their pages are not kept.', true);
  else say('saved', 'Saved');
}

// ---- Stele ----

async function showHost(domains) {
  const host = await ask({ type: 'status' });
  if (host.status !== 'ok') {
    say('host', `Stele is not there: ${host.error}. Run “stele setup”, with the name of this browser.`, true);
    return;
  }
  const refused = domains.filter((name) => !within(`http://${name}/`, host.domains));
  say('host', `Stele ${host.version} is there.`);
  if (!host.enabled) say('wants', 'It keeps no pages: browser.enabled is false in its configuration.', true);
  else if (refused.length > 0) say('wants', `It does not keep pages of ${refused.join(', ')}: add them to browser.domains in its configuration.`, true);
  else say('wants', `It keeps pages of ${host.domains.join(', ') || 'no site: browser.domains in its configuration is empty'}.`);
}

const RESULTS = { ok: 'kept', filtered: 'not wanted', error: 'not kept' };

function showLast(last) {
  if (!last) return;
  const why = last.error ?? last.reason;
  say('last', `The last page, at ${new Date(last.at).toLocaleString()}: ${last.url} ${RESULTS[last.status]}${why ? `: ${why}` : ''}.`,
      last.status === 'error');
}

async function show() {
  current = await settings();
  at('enabled').checked = current.enabled;
  at('domains').value = current.domains.join('\n');
  showLast((await chrome.storage.local.get('last')).last);
  await showHost(current.domains);
}

document.querySelector('form').addEventListener('submit', save);
show();
