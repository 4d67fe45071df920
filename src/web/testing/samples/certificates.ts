import type { CallReply } from '#contract/client.ts';

type Reply = CallReply<'botCertificate'>;
type Certificate = NonNullable<Reply['certificate']>;

/** The day of the certificates. */
export const certifiedDay = '2026-11-20';

/** A trade that both sides have made, with a difference that is explained. */
export function aCertifiedTrade(changes: Partial<Certificate['trades'][number]> = {}): Certificate['trades'][number] {
  return {
    symbol: 'ETH/USDT:USDT',
    direction: 'long',
    entry_at: `${certifiedDay}T06:45:01.000Z`,
    promised: '7.92',
    made: '7.2',
    difference: '-0.72',
    parts: { 'fill-price': '-0.48', delay: '-0.16', fee: '-0.08' },
    why: null,
    carried: false,
    open: false,
    ...changes,
  };
}

/** A certificate in which one trade is equal and one explained; `of` is what it says besides its figures. */
export function aCertificate(changes: Partial<Reply> = {}, of: Partial<Certificate> = {}): Reply {
  return {
    day: certifiedDay,
    state: 'done',
    why: null,
    mode: 'live',
    currency: 'USDT',
    promised: '12.02',
    made: '11.3',
    share: 11.3 / 12.02,
    differing: 0,
    replayed_at: '2026-11-21T00:05:11.000Z',
    can_replay: true,
    certificate: {
      parts: { 'fill-price': '-0.48', delay: '-0.16', fee: '-0.08' },
      trades: [
        aCertifiedTrade(),
        aCertifiedTrade({
          symbol: 'SOL/USDT:USDT',
          direction: 'short',
          entry_at: `${certifiedDay}T08:30:02.000Z`,
          promised: '4.1',
          made: '4.1',
          difference: '0',
          parts: {},
        }),
      ],
      trades_same: 2,
      candles: { replayed: 96, seen: 96, same: 96, differing: 0, listed: [] },
      decisions: { recorded: 96, same: 96, failed: 0, of_data: 0, differing: [] },
      versions: [{ from: `${certifiedDay}T00:00:00.000Z`, bot: 14, strategy: 3 }],
      fingerprint: '5b70e2c918fd',
      took_ms: 38,
      notes: [],
      ...of,
    },
    ...changes,
  };
}

/** A day without a certificate. */
export function noCertificate(changes: Partial<Reply> = {}): Reply {
  const none = { mode: null, currency: null, promised: null, made: null, share: null, differing: null, replayed_at: null };
  return { ...aCertificate(), ...none, state: 'none', certificate: null, can_replay: true, ...changes };
}

/** The figures of some days, the newest first. */
export function someCertificates(days = 10): CallReply<'botCertificates'> {
  const { certificate: _, can_replay: _can, ...figures } = aCertificate();
  return {
    certificates: Array.from({ length: days }, (__, n) => ({
      ...figures,
      state: 'done' as const,
      day: new Date(Date.parse(`${certifiedDay}T00:00:00Z`) - n * 86_400_000).toISOString().slice(0, 10),
      share: n === 3 ? null : 0.8 + (n % 5) * 0.04,
    })),
  };
}

/** The newest certificate of some bots. */
export function newestCertificates(bots: readonly { id: string; nickname: string }[]): CallReply<'newestCertificates'> {
  const [figures] = someCertificates(1).certificates;
  return {
    certificates: figures === undefined ? [] : bots.map(({ id, nickname }) => ({ ...figures, bot_id: id, nickname })),
  };
}
