import type { CertificateReply } from '#contract/certificates.ts';
import {
  beingReplayed,
  certificatesListed,
  certifiedBotsListed,
  dayNotOver,
  didNotRun,
  differingListed,
  noCertificate,
} from '#contract/certificates.ts';
import { dayMs } from '#engine/market/durations.ts';
import { causeWords } from '#engine/report/certificate/causes.ts';
import { shareOf } from '#engine/report/certificate/certificate-words.ts';
import type { CertificateFacts } from '#engine/report/certificate/certificate-facts.ts';
import type { CertificateFigures, KeptCertificate } from '#storage/certificates/certificates.ts';
import { askCertificate, findCertificate, listCertificates, listNewestCertificates, ranOnDay } from '#storage/certificates/certificates.ts';
import { audit } from '../audit/audit.ts';
import { lockVerified } from '../backtests/hold-run.ts';
import { ownBot } from '../bots/visible-bots.ts';
import type { Handlers } from '../calls/call.ts';
import { FileAnswer } from '../calls/file-answer.ts';
import { OneAtATime } from '../calls/one-at-a-time.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { certificatePdf } from './certificate-pdf.ts';

/** How much of what the backtest makes of a bot's days reached its account, for its owner and admins. */
export function certificateHandlers({
  db,
}: Pick<ServerDependencies, 'db'>): Pick<
  Handlers,
  'newestCertificates' | 'botCertificates' | 'botCertificate' | 'replayDay' | 'certificatePdf'
> {
  const files = new OneAtATime(); // each takes the processor for some time
  return {
    async newestCertificates({ caller }) {
      const newest = await listNewestCertificates(db, caller.role === 'admin' ? null : caller.id, certifiedBotsListed);
      return {
        certificates: newest.map(({ botId, nickname, ...figures }) => ({ ...figuresReply(figures), bot_id: botId, nickname })),
      };
    },

    async botCertificates({ caller, params }) {
      const bot = await ownBot(db, caller, params.id);
      return { certificates: (await listCertificates(db, bot.id, certificatesListed)).map(figuresReply) };
    },

    async botCertificate({ caller, params, now }) {
      const { day } = params;
      const bot = await ownBot(db, caller, params.id);
      const kept = await findCertificate(db, bot.id, day);
      const isOver = hasEnded(day, now);
      if (kept !== null)
        return {
          ...figuresReply(kept),
          can_replay: isOver && (kept.state === 'done' || kept.state === 'failed'),
          certificate: toReply(kept),
        };
      const ran = isOver && (await ranOnDay(db, bot.id, day));
      return {
        ...nothing,
        day,
        state: 'none' as const,
        why: isOver ? (ran ? null : didNotRun) : dayNotOver,
        can_replay: ran,
        certificate: null,
      };
    },

    async replayDay(call) {
      const { caller, params, now } = call;
      const { day } = params;
      await ownBot(db, caller, params.id); // a bot of somebody else is refused as such before anything is locked
      await db.transaction().execute(async (trx) => {
        await lockVerified(trx, caller, 'changes');
        const bot = await ownBot(trx, caller, params.id);
        if (!hasEnded(day, now)) throw new HttpError(400, dayNotOver);
        const asked = await askCertificate(trx, bot.id, day, caller.id);
        if (asked === 'did-not-run') throw new HttpError(400, didNotRun);
        if (asked === 'under-way') throw new HttpError(409, beingReplayed);
        await audit(trx, call, caller, 'replay-day', 'ok', { target: bot.id, detail: { day } });
      });
      return { state: 'waiting' as const };
    },

    async certificatePdf({ caller, params, now }) {
      const { day } = params;
      const bot = await ownBot(db, caller, params.id);
      const kept = await findCertificate(db, bot.id, day);
      const reply = kept === null ? null : toReply(kept);
      if (kept === null || reply === null) throw new HttpError(404, noCertificate);
      const file = await files.do(caller.id, () => certificatePdf(bot.nickname, figuresReply(kept), reply, now));
      return new FileAnswer(`certificate_${day}.pdf`, file);
    },
  };
}

const nothing = {
  mode: null,
  currency: null,
  promised: null,
  made: null,
  share: null,
  differing: null,
  replayed_at: null,
};

function hasEnded(day: string, now: Date): boolean {
  return Date.parse(`${day}T00:00:00Z`) + dayMs <= now.getTime();
}

function figuresReply({ day, state, why, mode, currency, promised, made, differing, replayedAt }: CertificateFigures) {
  const share = promised === null || made === null ? null : shareOf({ promised, made });
  return { day, state, why, mode, currency, promised, made, share, differing, replayed_at: replayedAt?.toISOString() ?? null };
}

function toReply({ certificate, tookMs }: KeptCertificate): CertificateReply | null {
  if (certificate === null || tookMs === null) return null;
  const { certificate: found, candles, versions, fingerprint, notes = [] } = certificate as unknown as CertificateFacts;
  const { parts, trades, tradesSame, decisions } = found;
  return {
    parts,
    trades: trades.map(({ entryTime, why, isCarried, isOpen, exits: _exits, ...trade }) => ({
      ...trade,
      entry_at: new Date(entryTime).toISOString(),
      why: why === null ? null : causeWords(why),
      carried: isCarried,
      open: isOpen,
    })),
    trades_same: tradesSame,
    candles: {
      replayed: candles.candles,
      seen: candles.seen,
      same: candles.same,
      differing: candles.differing.length,
      listed: candles.differing
        .slice(-differingListed)
        .map(({ symbol, openTime, fields }) => ({ symbol, open_time: new Date(openTime).toISOString(), fields })),
    },
    decisions: {
      recorded: decisions.recorded,
      same: decisions.same,
      failed: decisions.failed,
      of_data: decisions.ofData,
      differing: decisions.differing
        .slice(0, differingListed)
        .map(({ symbol, candleTime }) => ({ symbol, candle_time: new Date(candleTime).toISOString() })),
    },
    versions,
    fingerprint,
    took_ms: tookMs,
    notes,
  };
}
