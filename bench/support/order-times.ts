import { appendFileSync, readFileSync } from 'node:fs';

/** What happens to an order on its way to the exchange, in the sequence it happens. */
export const orderMoments = ['decided', 'written', 'permit-asked', 'permit-given', 'received'] as const;

/** One moment of one order. */
export interface OrderMoment {
  order: string; // client id
  moment: (typeof orderMoments)[number];
  at: number; // ms, on a clock that all processes of this machine share
}

/** The time of this machine since it was started, in ms; the same for all of its processes. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Notes moments in a file, from time to time: writing each at once would be measured, too. */
export function momentFile(path: string): (order: string, moment: OrderMoment['moment'], at?: number) => void {
  let waiting: string[] = [];
  const write = (): void => {
    if (waiting.length > 0) appendFileSync(path, `${waiting.join('\n')}\n`);
    waiting = [];
  };
  setInterval(write, 1_000).unref();
  return (order, moment, at = machineMs()) => void waiting.push(JSON.stringify({ order, moment, at }));
}

/** The moments in some files, by order: of each the first, as an order may be sent again. */
export function readMoments(paths: readonly string[]): Map<string, Map<OrderMoment['moment'], number>> {
  const orders = new Map<string, Map<OrderMoment['moment'], number>>();
  for (const path of paths)
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      if (line === '') continue;
      const { order, moment, at } = JSON.parse(line) as OrderMoment;
      const known = orders.get(order) ?? new Map<OrderMoment['moment'], number>();
      if (!known.has(moment)) known.set(moment, at);
      orders.set(order, known);
    }
  return orders;
}
