import { setTimeout as sleep } from 'node:timers/promises';
import { secondMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { CheckResult } from './check.ts';
import { multiple, type Probe } from './probe.ts';

const assumption = 'Nothing is left behind: no order, no position, no coin beyond a step';

/** How often the account is tidied before somebody is asked to do it by hand. */
const attempts = 5;

/** Cancels every order of the check that is still open, sells what it has bought, and says whether that is all. */
export async function cleanUp(probe: Probe): Promise<CheckResult> {
  let fault = '';
  await sleep(Math.max(0, probe.doubtUntil - Date.now()));
  for (let i = 0; i < attempts; i++) {
    if (i > 0) await sleep(secondMs);
    try {
      await tidy(probe);
      const left = await leftovers(probe);
      if (left === null) return { assumption, result: 'passed', seen: 'the account is as it was, but for fees' };
      fault = left;
    } catch (error) {
      fault = errorText(error);
    }
  }
  return { assumption, result: 'failed', seen: `${fault}. Look at the account and tidy it by hand` };
}

async function tidy(probe: Probe): Promise<void> {
  const { trading, symbol, placed } = probe;
  for (const order of await trading.openOrders(symbol))
    if (placed.has(order.clientOrderId)) await trading.cancel(symbol, order.clientOrderId).catch(() => {});
  const amount = multiple(await probe.held(), probe.step, 'down');
  const isShort = amount < 0 && probe.isFutures;
  if (amount > 0 || isShort)
    await probe.place({ type: 'market', side: isShort ? 'buy' : 'sell', amount: Math.abs(amount), reduceOnly: true });
}

async function leftovers(probe: Probe): Promise<string | null> {
  const open = (await probe.trading.openOrders(probe.symbol)).filter(({ clientOrderId }) => probe.placed.has(clientOrderId));
  if (open.length > 0) return `still open: ${open.map(({ clientOrderId }) => clientOrderId).join(', ')}`;
  const held = await probe.held();
  return Math.abs(held) >= probe.step ? `still held: ${held} of ${probe.symbol}` : null;
}
