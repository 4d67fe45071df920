import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What came of a load. */
export interface LoadResult {
  answered: number; // within the time
  failed: number; // refused, or no answer at all
  latenciesMs: number[]; // from the moment at which each call was due, so that a late answer delays no later call's figure
}

/** Calls evenly, `perSecond` times a second, whether the answers keep up or not, over at most `connections` connections. */
export async function evenLoad(options: {
  url: string;
  requests: readonly { path: string; headers: Record<string, string> }[];
  connections: number;
  perSecond: number;
  seconds: number;
}): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const result: LoadResult = { answered: 0, failed: 0, latenciesMs: [] };
  const start = performance.now();
  const end = start + options.seconds * 1_000;
  const call = async (i: number): Promise<void> => {
    const due = start + (i * 1_000) / options.perSecond;
    const { path, headers } = options.requests[i % options.requests.length] ?? { path: '/', headers: {} };
    const isGood = await new Promise<boolean>((resolve) => {
      get(options.url + path, { headers, agent }, (reply) => {
        reply.resume();
        reply.once('close', () => resolve(reply.complete && reply.statusCode === 200));
      }).once('error', () => resolve(false));
    });
    const now = performance.now();
    if (!isGood) result.failed += 1;
    else if (now <= end) result.answered += 1;
    result.latenciesMs.push(now - due);
  };
  const calls: Promise<void>[] = [];
  for (let sent = 0; performance.now() < end; await sleep(1)) {
    const due = Math.floor(((Math.min(performance.now(), end) - start) / 1_000) * options.perSecond);
    for (; sent < due; sent++) calls.push(call(sent));
  }
  await Promise.all(calls);
  agent.destroy();
  return result;
}
