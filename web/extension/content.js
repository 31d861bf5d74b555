// One page: how long it was in view, how much of it was seen, and what it says.  Told once, when it is left.

(() => {
  if (window !== top || globalThis.steleVisit) return;
  globalThis.steleVisit = true;

  const MOST = 51200; // characters of text
  let least = 3000;   // milliseconds in view, below which it is not told
  chrome.storage.local.get({ minDwell: least }).then((kept) => { least = kept.minDwell; });

  // ---- In view ----

  let page; // the one that is in view; there may be another later, without loading

  const isShown = () => document.visibilityState === 'visible';
  const inView = () => page.dwell + (page.shown === null ? 0 : performance.now() - page.shown);

  function begin() {
    page = { url: location.href, began: Date.now(), shown: isShown() ? performance.now() : null, dwell: 0, depth: 0, told: false };
  }

  function look() {
    const whole = Math.max(document.documentElement.scrollHeight, 1);
    page.depth = Math.max(page.depth, Math.min(1, (scrollY + innerHeight) / whole));
  }

  // ---- What it says ----

  const SKIPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'NAV', 'HEADER', 'FOOTER', 'ASIDE', 'FORM', 'BUTTON', 'SELECT',
                           'INPUT', 'TEXTAREA', 'SVG', 'CANVAS', 'VIDEO', 'AUDIO', 'IFRAME', 'DIALOG']);
  const LINES = /^(P|DIV|LI|UL|OL|DL|DT|DD|H[1-6]|PRE|BLOCKQUOTE|TABLE|TR|SECTION|ARTICLE|MAIN|FIGURE|FIGCAPTION|BR|HR)$/;

  const isHidden = (element) => element.hidden || element.getAttribute('aria-hidden') === 'true' ||
      element.isContentEditable || (element.checkVisibility && !element.checkVisibility());

  // The texts of an element in order, without what is around them on every page, nor what the reader typed.
  function* pieces(element) {
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) {
        yield element.closest('pre') ? node.data : node.data.replace(/\s+/g, ' ');
      } else if (node.nodeType === Node.ELEMENT_NODE && !SKIPPED.has(node.tagName.toUpperCase()) && !isHidden(node)) {
        const line = LINES.test(node.tagName);
        if (line) yield '\n';
        yield* pieces(node);
        if (line) yield '\n';
      }
    }
  }

  function textOf(element) {
    let text = '';
    for (const piece of pieces(element)) {
      text += piece;
      if (text.length > 2 * MOST) break; // lines are still to be trimmed
    }
    return text.replace(/[ \t]*\n[ \t]*/g, '\n').replace(/\n{3,}/g, '\n\n').trim();
  }

  // Where the page has its text: the longest article, else its main part, else all of it.
  function pageText() {
    const articles = [...document.querySelectorAll('article, [role=article]')].map(textOf);
    const article = articles.reduce((longest, one) => (one.length > longest.length ? one : longest), '');
    if (article.length >= 200) return article;
    const main = document.querySelector('main, [role=main]');
    return (main && textOf(main)) || article || (document.body ? textOf(document.body) : '');
  }

  // As many characters, a pair of surrogates being one.
  const cut = (text) => (text.length <= MOST ? text : [...text.slice(0, 2 * MOST)].slice(0, MOST).join(''));

  // ---- Telling ----

  function tell() {
    if (page.shown !== null) look();
    if (page.told || inView() < least) return;
    page.told = true;
    chrome.runtime.sendMessage({ type: 'visit', url: page.url, title: document.title, domain: location.hostname,
                                dwell_ms: Math.round(inView()), scroll_depth: page.depth, extracted_text: cut(pageText()),
                                referrer: document.referrer, timestamp: page.began })
      .catch(() => {}); // the extension was updated meanwhile
  }

  function turn() { // into view, or out of it
    if (!isShown()) {
      tell();
      page.dwell = inView();
    }
    page.shown = isShown() ? performance.now() : null;
  }

  // Another page without loading: the one before is still here when the browser tells of it.
  function leave(event) {
    if (event.hashChange || event.downloadRequest !== null || !event.destination.sameDocument) return;
    tell();
    setTimeout(() => page.url !== location.href && begin());
  }

  begin();
  look();
  addEventListener('scroll', look, { passive: true });
  addEventListener('pagehide', tell);
  document.addEventListener('visibilitychange', turn);
  globalThis.navigation?.addEventListener('navigate', leave);
})();
