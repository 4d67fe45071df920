import type { CallReply } from '#contract/client.ts';
import type { Answerer, ArrivedCall } from './answerer.ts';
import { Problem } from './answerer.ts';

/** The pulse as the server makes it: of the answers of its parts, and refused when one of them is. */
export async function pulseOfParts(network: Answerer, call: ArrivedCall): Promise<CallReply<'pulse'>> {
  const alarms = await network.as('listAlarms', call);
  const trading = await network.as('getTradingState', call);
  const differences = await network.as('listDifferences', call);
  for (const part of [alarms, trading, differences]) if (part instanceof Problem) return part as never; // answered as it is
  return { alarms, trading, differences } as CallReply<'pulse'>;
}
