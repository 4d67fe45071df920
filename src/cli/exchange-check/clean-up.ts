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
      const left = (await tidy(probe)) ?? (await leftovers(probe));
      if (left === null) return { assumption, result: 'passed', seen: 'the account is as it was, but for fees' };
      fault = left;
    } catch (error) {
      fault = errorText(error);
    }
  }
  return { assumption, result: 'failed', seen: `${fault}. Look at the account and tidy it by hand` };
}

/** Leaves nothing open and sells what is held; says in a sentence what is not known, and sells no more than what is. */
async function tidy(probe: Probe): Promise<string | null> {
  for (const id of await openOrders(probe)) await probe.cancel(id).catch(() => {});
  const doubt = await probe.unsettled();
  const amount = multiple(await probe.held(), probe.step, 'down');
  const isShort = amount < 0 && probe.isFutures && doubt === null;
  if (amount > 0 || isShort)
    await probe.place({ type: 'market', side: isShort ? 'buy' : 'sell', amount: Math.abs(amount), reduceOnly: true });
  return await probe.unsettled();
}

async function leftovers(probe: Probe): Promise<string | null> {
  const open = await openOrders(probe);
  if (open.length > 0) return `still open: ${open.join(', ')}`;
  const held = await probe.held();
  return Math.abs(held) >= probe.step ? `still held: ${held} of ${probe.symbol}` : null;
}

/** The orders of the check that stand, by the list, which may lag, or by what was said of them. */
async function openOrders({ trading, symbol, placed, news }: Probe): Promise<string[]> {
  const listed = (await trading.openOrders(symbol)).flatMap(({ clientOrderId: id }) => (placed.has(id) ? [id] : []));
  return [...new Set([...listed, ...news.standing()])];
}
