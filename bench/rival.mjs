// rival.mjs - what the benchmarks that run in Node share: times of single calls, as bench.c puts them.
export const figures = {};
const LEAST = 5, SECONDS = 20; // so often, however long it takes; more often only for so long

function put(name, values) {
  values.sort((a, b) => a - b);
  for (const [part, at] of [["p50", 0.5], ["p95", 0.95], ["p99", 0.99], ["max", 1]])
    figures[`${name}_${part}`] = values[Math.min(values.length - 1, Math.floor(at * values.length))];
}

// Ask every question once, unless that takes long: NAME_p50 and so on in milliseconds, NAME_cpu_p50 likewise, and the memory of the process so far.  Where a
// question is about several things, the time is that of one.
export function sample(name, questions, ask, things = 1) {
  const ms = [], cpu = [], end = performance.now() + SECONDS * 1000;
  for (const question of questions) {
    if (ms.length >= LEAST && performance.now() > end) break;
    const before = process.cpuUsage(), start = performance.now();
    ask(question);
    ms.push((performance.now() - start) / things);
    const took = process.cpuUsage(before);
    cpu.push((took.user + took.system) / 1000 / things);
  }
  put(name, ms);
  put(`${name}_cpu`, cpu);
  figures[`${name}_rss_mb`] = process.resourceUsage().maxRSS / 1024;
}
