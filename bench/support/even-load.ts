import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What came of a load. */
export interface LoadResult {
  answered: number; // within the time
  failed: number; // refused, or no answer at all
  latenciesMs: number[]; // from the moment at which each call was due, so that a late answer delays no later call's figure
  byRequest: number[][]; // the same for each of the requests
  refusals: Map<number, number>; // which of the requests failed, with the last status; 0: no answer
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
  const result: LoadResult = {
    answered: 0,
    failed: 0,
    latenciesMs: [],
    byRequest: options.requests.map(() => []),
    refusals: new Map(),
  };
  const start = performance.now();
  const end = start + options.seconds * 1_000;
  const call = async (i: number): Promise<void> => {
    const due = start + (i * 1_000) / options.perSecond;
    const which = i % options.requests.length;
    const { path, headers } = options.requests[which] ?? { path: '/', headers: {} };
    const status = await new Promise<number>((resolve) => {
      get(options.url + path, { headers, agent }, (reply) => {
        reply.resume();
        reply.once('close', () => resolve(reply.complete ? (reply.statusCode ?? 0) : 0));
      }).once('error', () => resolve(0));
    });
    const now = performance.now();
    if (status !== 200) {
      result.failed += 1;
      result.refusals.set(which, status);
    } else if (now <= end) result.answered += 1;
    result.latenciesMs.push(now - due);
    result.byRequest[which]?.push(now - due);
  };
  const calls: Promise<void>[] = [];
  for (let sent = 0; performance.now() < end; await sleep(1)) {
    const due = Math.ceil(((Math.min(performance.now(), end) - start) / 1_000) * options.perSecond); // one is due at once
    for (; sent < due; sent++) calls.push(call(sent));
  }
  await Promise.all(calls);
  agent.destroy();
  return result;
}
