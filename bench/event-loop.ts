// Whether pages and running bots stay undisturbed while backtests run: how late the event loops of their processes are.
import { setTimeout as sleep } from 'node:timers/promises';
import { row } from './support/figures.ts';
import { startProduct } from './support/product.ts';

const seconds = Number(process.env['SECONDS_EACH'] ?? 60);
const roles = ['web', 'runner'] as const;

const product = await startProduct({ bots: 200, people: 1 });
try {
  const measure = async (name: string, length: Promise<unknown>): Promise<void> => {
    for (const role of roles) await product.measured(role); // begins again from zero
    await length;
    for (const role of roles) {
      const { p50, p99, max } = (await product.measured(role)).delayMs;
      const figures = [p50, p99, max].map((ms) => ms.toFixed(1)).join(' / ');
      row(`${role}, ${name}: late by p50 / p99 / max`, `${figures} ms`, 'no promise in figures');
    }
  };
  await sleep(10_000); // what starting leaves behind is not measured
  await measure('200 bots, nothing else', sleep(seconds * 1_000));
  await measure('a first backtest fetches its year', product.backtestOfAYear());
  const until = Date.now() + seconds * 1_000;
  let runs = 0;
  const backtests = async (): Promise<void> => {
    for (; Date.now() < until; runs++) await product.backtestOfAYear();
  };
  await measure('backtests of a year of minutes', backtests());
  row('  backtests done meanwhile', String(runs), 'no promise');
} finally {
  await product.stop();
}
