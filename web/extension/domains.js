// Which sites are wanted: what a person writes, read; and is a page of one of them?

// One domain as it is written in addresses; "" if it is none.
export function domain(text) {
  const plain = text.trim().replace(/^[a-z]+:\/\//i, '').replace(/[/?#].*$/, '').replace(/^\*\./, '');
  try {
    const { hostname } = new URL(`http://${plain}/`);
    return /^[\w.-]+$|^\[[\da-f:]+\]$/.test(hostname) ? hostname : ''; // some browsers take blanks for a host
  } catch {
    return '';
  }
}

// One on each line: [those that are one, those lines that are none].
export function domains(text) {
  const lines = text.split(/[\n,]/).map((line) => line.trim()).filter(Boolean);
  return [[...new Set(lines.map(domain).filter(Boolean))], lines.filter((line) => !domain(line))];
}

// A name has names below it; a number and localhost have none.
const hasBelow = (name) => !/^[\d.]+$|^\[|^localhost$/.test(name);

// The patterns of a browser for all pages of the domains.
export const patterns = (list) => list.map((name) => `*://${hasBelow(name) ? '*.' : ''}${name}/*`);

// Is it a page of one of the domains, or of one below them?
export function within(url, list) {
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) && list.some((name) => hostname === name || (hasBelow(name) && hostname.endsWith(`.${name}`)));
}
