// What pages tell goes to Stele, if it is wanted; and Stele is told now and then that somebody is here.

import { patterns, within } from './domains.js';
import { ask } from './host.js';
import { change, settings } from './settings.js';

const SCRIPT = 'visit', ALARM = 'heartbeat', MINUTES = 5;

// ---- Pages ----

// Only pages of the domains that are wanted, and that the person allowed the extension to see, are looked at.
async function watchPages() {
  const { enabled, domains } = await settings();
  const wanted = enabled ? patterns(domains) : [];
  const allowed = [];
  for (const pattern of wanted)
    if (await chrome.permissions.contains({ origins: [pattern] })) allowed.push(pattern);
  const [registered] = await chrome.scripting.getRegisteredContentScripts({ ids: [SCRIPT] });
  if (registered) await chrome.scripting.unregisterContentScripts({ ids: [SCRIPT] });
  if (allowed.length > 0)
    await chrome.scripting.registerContentScripts([{ id: SCRIPT, matches: allowed, js: ['content.js'], runAt: 'document_idle' }]);
}

// One after another: two at once would register the script twice.
let watching = Promise.resolve();
const watch = () => (watching = watching.then(watchPages, watchPages));

// What a page tells is not taken on trust: the browser knows where it is from.
async function takeVisit(visit, sender) {
  const { enabled, domains, minDwell } = await settings();
  const wanted = enabled && !sender.tab?.incognito && sender.frameId === 0 && within(visit.url, domains);
  if (!wanted || new URL(visit.url).origin !== new URL(sender.url).origin || !(visit.dwell_ms >= minDwell)) return;
  const answer = await ask(visit);
  await change({ last: { ...answer, url: visit.url, at: Date.now() } });
}

// ---- Signs of life ----

async function heartbeat() {
  const { enabled } = await settings();
  const { version } = chrome.runtime.getManifest();
  await ask({ type: 'heartbeat', extension_version: version, enabled_state: enabled, sent_at_ms: Date.now() });
}

async function start() {
  await chrome.alarms.create(ALARM, { periodInMinutes: MINUTES });
  await Promise.all([watch(), heartbeat()]);
}

chrome.runtime.onInstalled.addListener(start);
chrome.runtime.onStartup.addListener(start);
chrome.alarms.onAlarm.addListener((alarm) => alarm.name === ALARM && heartbeat());
chrome.permissions.onAdded.addListener(watch);
chrome.permissions.onRemoved.addListener(watch);
chrome.storage.onChanged.addListener((changes) => {
  if (changes.enabled || changes.domains) watch();
});
chrome.runtime.onMessage.addListener((message, sender) => {
  if (message.type === 'visit' && sender.id === chrome.runtime.id) takeVisit(message, sender);
});
