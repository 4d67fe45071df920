import { detailsKeptDays } from '#contract/backtests.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '#engine/market/durations.ts';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import type { Mailer } from '#mail/mailer.ts';
import type { Certifier } from '#runner/hindsight/certificates/certifier.ts';
import { sendDueMails } from '#mail/send-waiting.ts';
import { every } from '#runner/every.ts';
import { leaveDaySums } from '#server/channels/day-sums.ts';
import { leaveDueReports } from '#server/reports/morning-report.ts';
import { auditHead } from '#storage/audit/audit-log.ts';
import { removeExpired } from '#storage/auth/sessions.ts';
import { removeBacktestDetails } from '#storage/backtests/remove-details.ts';
import { removeCertificates } from '#storage/certificates/certificates.ts';
import type { Database } from '#storage/database.ts';
import { keepTraderSums } from '#storage/fund/trader-sums.ts';
import { removeOldMails } from '#storage/mails/mail-outbox.ts';
import { keepPartitions } from '#storage/partitions.ts';
import type { LiveTrading } from '#storage/trades/trade-mode.ts';
import { removeOldInvitations } from '#storage/users/invitations.ts';
import { keepAlarms } from './keep-alarms.ts';
import type { ChannelSending } from './send-channel-messages.ts';
import { sendChannelMessages } from './send-channel-messages.ts';
import type { MessageSender } from './send-trade-messages.ts';
import { sendDueMessages } from './send-trade-messages.ts';

/** What the regular work of the web process needs. */
export interface RegularWorkDependencies {
  db: Database;
  liveTrading: LiveTrading;
  windows: CandleWindows;
  mailer: Mailer;
  channels: Pick<ChannelSending, 'secrets' | 'send'>; // of people
  senders: readonly MessageSender[]; // of messages about trades
  certifier: Pick<Certifier, 'askNightly' | 'work'>; // of the days of bots
  pageUrl: string; // where people reach the page, for mails
  log: { warn: (details: object, message: string) => void; error: (details: object, message: string) => void };
  now: () => Date;
}

/** Certificates are kept for two years. */
const certificatesKeptMs = 731 * dayMs;

/** The regular work of a web process while it runs. */
export interface RegularWork {
  headNoted: Promise<void>; // the end of the audit log is in the log for the first time, or why not
  stop: () => Promise<void>;
}

/** What the web process does besides answering calls: it sends what is due, raises alarms, adds up trades and removes what is old. */
export function startRegularWork({
  db,
  liveTrading,
  windows,
  mailer,
  channels,
  senders,
  certifier,
  pageUrl,
  log,
  now,
}: RegularWorkDependencies): RegularWork {
  const toLog =
    (message: string) =>
    (error: unknown): void =>
      log.error({ err: error }, message);
  const mailsFailed = toLog('a mail was not sent');
  const mails = every(5 * secondMs, () => sendDueMails(db, mailer, { now, onError: mailsFailed }), mailsFailed, 'after-pause');
  // Side by side: a slow spreadsheet must not delay a chat.
  const onFault = (fault: object): void => log.warn(fault, 'a message about a trade was not delivered');
  const messagesFailed = toLog('messages about trades were not sent');
  const messages = senders.map((sender) =>
    every(5 * secondMs, () => sendDueMessages({ db, sender, now, onFault }), messagesFailed, 'after-pause'),
  );
  const channelFault = (fault: object): void => log.warn(fault, 'a message to a channel was not delivered');
  const noticesFailed = toLog('messages to channels were not sent');
  const notices = every(
    5 * secondMs,
    () => sendChannelMessages({ db, ...channels, now, onFault: channelFault }),
    noticesFailed,
    'after-pause',
  );
  const sumFailed = toLog('the sum of a day was not left for a channel');
  const sums = every(minuteMs, () => leaveDaySums(db, now(), sumFailed), sumFailed, 'after-pause');
  const reportFailed = toLog('a report was not mailed');
  const reports = every(minuteMs, () => leaveDueReports({ db, pageUrl, now, onError: reportFailed }), reportFailed, 'after-pause');
  const certificateFailed = toLog('days of bots were not replayed');
  const nights = every(5 * minuteMs, () => certifier.askNightly(), certificateFailed, 'after-pause');
  const certificates = every(2 * secondMs, () => certifier.work(), certificateFailed, 'after-pause');
  const detailsFailed = toLog('details of old backtests were not removed; the next hour tries again');
  const details = every(hourMs, () => removeOldDetails(db, now()), detailsFailed);
  const alarms = keepAlarms({ db, liveTrading, now, onError: toLog('alarms were not checked') });
  const sumTrades = (): void =>
    void keepTraderSums(db).catch(toLog('the trades of past days were not summed; the next minute tries again'));
  const tidy = setInterval(() => {
    windows.releaseIdle();
    sumTrades();
    Promise.all([
      removeExpired(db, now()),
      removeOldInvitations(db, now()),
      removeOldMails(db, now()),
      removeCertificates(db, new Date(now().getTime() - certificatesKeptMs)),
    ]).catch(toLog('expired rows were not removed'));
  }, minuteMs);
  // The log lies outside the database: whoever cuts the end off the audit log there does not reach it.
  const noteHead = (): Promise<void> =>
    auditHead(db).then((head) => log.warn({ head }, 'the audit log ends here'), toLog('the end of the audit log was not noted'));
  const grow = setInterval(() => {
    void noteHead();
    keepPartitions(db, now()).catch(toLog('no new partitions were made; the next hour tries again'));
  }, hourMs);
  sumTrades();
  return {
    headNoted: noteHead(),
    async stop() {
      clearInterval(tidy);
      clearInterval(grow);
      await Promise.all([mails, reports, alarms, notices, sums, nights, certificates, details, ...messages].map((each) => each.stop()));
    },
  };
}

async function removeOldDetails(db: Database, now: Date): Promise<void> {
  await removeBacktestDetails(db, new Date(now.getTime() - detailsKeptDays * dayMs));
}
