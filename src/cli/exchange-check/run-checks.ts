import { errorText } from '#engine/ports/error-text.ts';
import { type Check, type CheckResult, Skipped } from './check.ts';
import { cleanUp } from './clean-up.ts';
import { orderChecks } from './order-checks.ts';
import type { Probe } from './probe.ts';
import { tradeChecks } from './trade-checks.ts';

/**
 * Tries every assumption about an exchange, one after the other, and tidies the account whatever happens.
 */
export async function runChecks(probe: Probe, report: (result: CheckResult) => void): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const note = (result: CheckResult): void => {
    results.push(result);
    report(result);
  };
  const end = probe.trading.watch((each) => probe.receive(each));
  try {
    for (const check of [...orderChecks(), ...tradeChecks()])
      note(probe.stop.aborted ? { ...named(check), result: 'skipped', seen: 'interrupted' } : await resultOf(check, probe));
  } finally {
    note(await cleanUp(probe));
    end();
  }
  return results;
}

async function resultOf(check: Check, probe: Probe): Promise<CheckResult> {
  try {
    return { ...named(check), result: 'passed', seen: await check.run(probe) };
  } catch (error) {
    return { ...named(check), result: error instanceof Skipped ? 'skipped' : 'failed', seen: errorText(error) };
  }
}

const named = ({ assumption }: Check) => ({ assumption });
