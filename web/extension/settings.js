// What the person wants, as the browser keeps it.

export const settings = () => chrome.storage.local.get({ enabled: true, domains: [], minDwell: 3000 });
export const change = (values) => chrome.storage.local.set(values);
