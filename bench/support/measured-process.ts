// Loaded before the product's own code into each of its processes (`--import`), so that the product holds no code for being measured.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** What a process writes down when it is asked: since it was asked before. */
export interface Measured {
  pid: number;
  asked: number; // how often it was asked
  cpuMs: number; // processor time, of all its threads
  delayMs: { p50: number; p99: number; max: number }; // of its event loop: how much later than due a timer ran
}

const resolutionMs = 10; // a timer of this period is watched; the histogram holds the time between its runs
const folder = process.env['MEASURES_TO'];
const role = process.argv[process.argv.indexOf('--role') + 1];

if (isMainThread && folder !== undefined && process.argv.includes('--role')) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  let cpu = process.cpuUsage();
  let asked = 0;
  const write = (): void => {
    const used = process.cpuUsage(cpu);
    const measured: Measured = {
      pid: process.pid,
      asked: asked++,
      cpuMs: (used.user + used.system) / 1000,
      delayMs: { p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) },
    };
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${role}.new`), JSON.stringify(measured));
    renameSync(join(folder, `${role}.new`), join(folder, `${role}.json`)); // whoever reads sees all of it or nothing
    delay.reset();
    cpu = process.cpuUsage();
  };
  delay.enable();
  process.on('SIGUSR2', write);
  write();
}
