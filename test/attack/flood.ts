// npm run torture flood [SECONDS]: whether running bots decide as fast while 200 people a second try to sign in.
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, row } from '../../bench/support/figures.ts';
import { startProduct } from '../../bench/support/product.ts';

const seconds = Number(process.env['TORTURE_SIZE'] ?? 180);
const perSecond = 200;
const mostDelayMs = 250; // the promise of a decision after its candle, p99
process.env['TRUSTED_PROXIES'] = '127.0.0.1'; // so that the flood comes from many addresses

const product = await startProduct({ bots: 100, people: 1 });
try {
  await sleep(10_000); // what starting leaves behind is not measured
  const quiet = await decisionsDuring('nothing else', sleep(seconds * 1_000));
  let isOver = false;
  const flood = signInFlood(() => isOver);
  const loud = await decisionsDuring('200 sign-ins a second', sleep(seconds * 1_000));
  isOver = true;
  const statuses = [...(await flood)].map(([status, count]) => `${count} x ${status}`).join(', ');
  row('answers to the flood', statuses, 'no other than 401 and 429');
  if (/x (?!401|429)/u.test(statuses)) process.exitCode = 1;
  if (quiet.decisions === 0 || loud.decisions === 0 || loud.p99 > mostDelayMs) process.exitCode = 1;
} finally {
  await product.stop();
}

/** The delay of the decisions made meanwhile, from the first decision about the same candle, and of the event loops. */
async function decisionsDuring(name: string, length: Promise<unknown>): Promise<{ decisions: number; p99: number }> {
  for (const role of ['web', 'runner'] as const) await product.measured(role);
  const from = new Date();
  await length;
  const { rows } = await sql<{ delay: number }>`
    select extract(epoch from decided_at - min(decided_at) over (partition by candle_time, symbol))::float8 * 1000 as delay
    from decisions where decided_at > ${from}`.execute(product.db);
  const delays = rows.map(({ delay }) => delay);
  const [p50, p99] = [quantile(delays, 0.5), quantile(delays, 0.99)];
  row(`${name}: ${delays.length} decisions, delay p50 / p99`, `${p50.toFixed(0)} / ${p99.toFixed(0)} ms`, `p99 under ${mostDelayMs} ms`);
  for (const role of ['web', 'runner'] as const) {
    const { delayMs } = await product.measured(role);
    row(`${name}: the ${role}'s event loop late by p50 / p99`, `${delayMs.p50.toFixed(1)} / ${delayMs.p99.toFixed(1)} ms`, 'no promise');
  }
  return { decisions: delays.length, p99 };
}

/** Sign-ins with wrong passwords from all over the world, evenly; gives how often each status was answered. */
async function signInFlood(isOver: () => boolean): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const calls = new Set<Promise<void>>();
  const start = performance.now();
  for (let sent = 0; !isOver(); await sleep(1)) {
    const due = Math.floor(((performance.now() - start) / 1_000) * perSecond);
    for (; sent < due; sent++) {
      const call = signIn(sent).then((status) => void statuses.set(status, (statuses.get(status) ?? 0) + 1));
      calls.add(call);
      void call.finally(() => calls.delete(call));
    }
  }
  await Promise.all(calls);
  return statuses;
}

async function signIn(number: number): Promise<string> {
  const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  try {
    const reply = await fetch(`${product.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ email: `nobody-${number}@attack.example`, password: 'not the password' }),
    });
    await reply.arrayBuffer();
    return String(reply.status);
  } catch {
    return 'no answer';
  }
}
