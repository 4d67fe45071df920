import type { CallReply } from '#contract/client.ts';

type Ledger = CallReply<'profits'>['ledgers'][number];

/** What a few trades came to, except for what is given. */
export function someSums(given: Partial<Ledger['figures']> = {}): Ledger['figures'] {
  return { trades: 2, wins: 1, losses: 1, profit: '12.5', fees: '0.4', funding: '-0.1', ...given };
}

/** The paper trades of a range in USDT, of two bots on two days, except for what is given. */
export function aLedger(given: Partial<Ledger> = {}): Ledger {
  return {
    mode: 'paper',
    currency: 'USDT',
    figures: someSums({ trades: 3, wins: 2, profit: '-7.500000000000000001' }),
    unrealized: '1.25',
    open_trades: 1,
    days: [
      { day: '2026-11-02', ...someSums() },
      { day: '2026-11-20', ...someSums({ trades: 1, wins: 1, losses: 0, profit: '-20.000000000000000001' }) },
    ],
    groups: [
      { key: 'a', name: 'Dip Buyer', detail: null, ...someSums() },
      {
        key: 'b',
        name: '=Night Trend',
        detail: 'version 3',
        ...someSums({ trades: 1, wins: 1, losses: 0, profit: '-20.000000000000000001' }),
      },
    ],
    ...given,
  };
}
