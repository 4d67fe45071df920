import type { CheckKey } from '#feeds/exchange-keys.ts';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import type { Markets } from '#feeds/markets.ts';
import type { NewSandboxKey } from '#feeds/sandbox-key.ts';
import type { Jobs } from '#storage/backtests/jobs.ts';
import type { Database } from '#storage/database.ts';
import type { Mailer } from '#mail/mailer.ts';
import type { Sender } from '#mail/smtp-settings.ts';
import type { AuthenticatorSecrets } from '#vault/authenticator-secrets.ts';
import type { ChannelSecrets } from '#vault/channel-secrets.ts';
import type { SealingKey } from '#vault/sealing.ts';
import type { StrategySecrets } from '#vault/strategy-secrets.ts';
import type { Spreadsheets } from '#outbound/google/spreadsheets.ts';
import type { ChannelDelivery } from '#outbound/channels/channel-request.ts';
import type { ChannelTarget } from '#outbound/channels/channel-target.ts';
import type { ChannelOutcome } from '#outbound/channels/send-to-channel.ts';
import type { Delivery } from '#outbound/post-webhook.ts';
import type { LiveTrading } from '#storage/trades/trade-mode.ts';
import type { LinePace } from './calls/lines-answer.ts';
import type { ProgramModules } from '#strategy-process/browser/program-modules.ts';
import type { WhatIfReplays } from './what-if/what-if-question.ts';
import type { AskDrill } from './bots/drill-question.ts';
import type { StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import type { AskHindsight, AskReplay } from './bots/hindsight-question.ts';
import type { PublicAddress } from './http/origin.ts';

/** What the handlers work with. */
export interface ServerDependencies {
  db: Database;
  markets: Markets;
  windows: CandleWindows;
  processes: StrategyProcesses; // of strategies that are not part of the program
  strategyFolder: string | null; // null: this server does not keep it
  jobs: () => Promise<Jobs>; // the queue of backtests, opened when it is first needed
  askHindsight: AskHindsight;
  askReplay: AskReplay;
  askDrill: AskDrill;
  whatIf: WhatIfReplays;
  programModules: () => ProgramModules; // read when they are first asked for
  mailer: Mailer;
  defaultSender: Sender; // of mails, unless the installation's settings name another
  checkKey: CheckKey;
  newSandboxKey: NewSandboxKey;
  sealing: SealingKey; // secrets go in with it and do not come out
  strategySecrets: StrategySecrets; // of strategies alone: admins read them again
  deliver: (address: string, message: Readonly<Record<string, unknown>>) => Promise<Delivery>; // to a chat
  channelSecrets: ChannelSecrets; // of people's channels alone: they are sent to from here
  authenticatorSecrets: AuthenticatorSecrets; // of people's apps alone: codes are compared here
  pushKey: string; // the public key with which browsers subscribe
  sendToChannel: (target: ChannelTarget, delivery: ChannelDelivery) => Promise<ChannelOutcome>;
  isReachable: (target: ChannelTarget) => Promise<boolean>; // whether the host of a channel has a public address
  sheets: Spreadsheets | null; // null: the server has no access to any
  pepper: Buffer; // the server's own secret in the hash of codes
  pageUrl: string; // where people reach the page, for mails
  address: PublicAddress;
  follow: LinePace; // of the answer that an open Status page follows
  freeDiskBytes: () => Promise<number>; // room on the disk of the instance
  version: string;
  liveTrading: LiveTrading;
  mostBotsOfPerson: number;
  now: () => Date;
}
