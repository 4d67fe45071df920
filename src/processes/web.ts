import { CandleWindows } from '#feeds/candle-windows.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { productTimes, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import { freeDiskBytes } from '#server/monitoring/free-disk.ts';
import { sandboxKeys } from '#feeds/sandbox-key.ts';
import { fileMailer, smtpMailer } from '#mail/mailer.ts';
import { currentSender, senderOf } from '#mail/sender.ts';
import { googleSpreadsheets } from '#outbound/google/spreadsheets.ts';
import type { ChannelDelivery } from '#outbound/channels/channel-request.ts';
import type { ChannelTarget } from '#outbound/channels/channel-target.ts';
import { isReachable } from '#outbound/channels/channel-target.ts';
import { sendToChannel } from '#outbound/channels/send-to-channel.ts';
import { postWebhook } from '#outbound/post-webhook.ts';
import { Drills } from '#runner/drill/drills.ts';
import { Certifier } from '#runner/hindsight/certificates/certifier.ts';
import { Hindsight } from '#runner/hindsight/hindsight.ts';
import { findTerms } from '#runner/hindsight/what-if/find-terms.ts';
import { ProgramModules } from '#strategy-process/browser/program-modules.ts';
import { buildServer } from '#server/server.ts';
import { openDatabase } from '#storage/database.ts';
import type { Jobs } from '#storage/backtests/jobs.ts';
import { refuseOtherSchema } from '#storage/migrate.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { authenticatorSecrets } from '#vault/authenticator-secrets.ts';
import { channelSecrets } from '#vault/channel-secrets.ts';
import { pushSecrets } from '#vault/push-secrets.ts';
import { keyFrom } from '#vault/seal.ts';
import { sealingKey } from '#vault/sealing.ts';
import { strategySecrets } from '#vault/strategy-secrets.ts';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beChild } from './child-process.ts';
import type { Config } from './config.ts';
import { exchangeKeyCheck } from '#feeds/exchange-keys.ts';
import { exchangeMarkets, loadExchanges } from '#feeds/exchange-markets.ts';
import { installationKey } from './installation-key.ts';
import { openPushKeys } from '#server/channels/push-keys.ts';
import { openLogFile } from './log-file.ts';
import { serveMetrics } from './metrics/metrics-server.ts';
import { webMetrics } from './metrics/web-metrics.ts';
import { pageAddress } from './page-address.ts';
import { refuseOpenDemonstration } from './prepare.ts';
import { chatSender, sheetSender } from './message-senders.ts';
import { startRegularWork } from './regular-work.ts';
import { readServiceAccount } from './service-account-file.ts';
import { printable } from './printable.ts';

/** Runs the web process: the page and the calls, until it is stopped. */
export async function serveWeb(config: Config, root: string): Promise<void> {
  if (config.databaseUrl === null) throw new Error('A web process alone needs DATABASE_URL.');
  const { databaseUrl } = config;
  const google = readServiceAccount(config.googleAccountFile);
  if (google !== null && google.warning !== null) process.stdout.write(`${printable(google.warning)}\n`);
  const log = openLogFile(config.home, 'web');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const now = (): Date => new Date();
  const db = openDatabase(databaseUrl, {
    connections: 12,
    onError: (error) => app.log.error({ err: error }, 'a database connection broke'),
  });
  const start = async (): Promise<Buffer> => {
    await refuseOtherSchema(db);
    await refuseOpenDemonstration(db, config);
    return installationKey(db, config);
  };
  const masterKey = await start().catch(async (error: unknown) => {
    await db.destroy();
    throw error;
  });
  const markets = exchangeMarkets({ sandboxUrl: config.sandboxUrl ?? '' });
  const windows = new CandleWindows(markets);
  const strategyFolder = join(config.home, 'strategies');
  const processes = new StrategyProcesses(
    { node: process.execPath, walls: wallsOfSystem(), python: config.python },
    productTimes,
    () => undefined,
  );
  const defaultSender = senderOf(config.smtpUrl);
  const mailer =
    config.smtpUrl === null
      ? fileMailer(
          join(config.home, 'mails'),
          ({ recipient, subject }, file) => process.stdout.write(`Mail for ${printable(recipient)}: "${subject}" is in ${file}\n`),
          now,
        )
      : smtpMailer(config.smtpUrl, { sender: () => currentSender(db, defaultSender) });
  const pageUrl = pageAddress(config);
  const secrets = strategySecrets(masterKey);
  const deliver = (address: string, message: Readonly<Record<string, unknown>>) => postWebhook(address, message, config.webhookHosts);
  const push = {
    keys: await openPushKeys(db, pushSecrets(masterKey)),
    contact: pageUrl.startsWith('https:') ? pageUrl : `mailto:${defaultSender.address}`,
  };
  const channels = {
    pushKey: push.keys.publicKey,
    channelSecrets: channelSecrets(masterKey),
    sendToChannel: (target: ChannelTarget, delivery: ChannelDelivery) => sendToChannel(target, delivery, { at: now(), push }),
    isReachable: (target: ChannelTarget) => isReachable(target),
  };
  const sheets = google === null ? null : googleSpreadsheets(google.account, now);
  let opened: Promise<Jobs> | null = null;
  const jobs = (): Promise<Jobs> => {
    opened ??= openJobs(db, databaseUrl, {
      isWorker: false,
      onError: (error) => app.log.error({ err: error }, 'the job queue has trouble'),
    });
    opened.catch(() => (opened = null)); // the next call tries again
    return opened;
  };
  const freeRoom = (): Promise<number> => freeDiskBytes([config.home, '/var/lib/flotilla']);
  const disk = { freeBytes: freeRoom, makeRoom: async () => {} }; // candle files are the worker's
  const hindsight = new Hindsight({
    db,
    markets,
    disk,
    now: Date.now,
    python: config.python,
    log: (message, details) => app.log.warn(details, message),
  });
  const certifier = new Certifier({
    db,
    markets,
    disk,
    now: Date.now,
    python: config.python,
    log: (message, details) => app.log.warn(details, message),
  });
  let modules: ProgramModules | null = null;
  const drills = new Drills({ markets, log: (message, details) => app.log.warn(details, message) });
  const app = await buildServer(
    {
      db,
      markets,
      windows,
      processes,
      strategyFolder: process.connected || existsSync(strategyFolder) ? strategyFolder : null, // as the worker has it
      jobs,
      askHindsight: (question, signal) => hindsight.ask(question, signal),
      askReplay: (question, signal) => hindsight.replay(question, signal),
      whatIf: {
        terms: (subject) => findTerms(subject, { markets, now: Date.now }),
        answer: (question, signal) => hindsight.whatIf(question, signal),
      },
      programModules: () => (modules ??= new ProgramModules()),
      askDrill: (question, signal) => drills.run(question, signal),
      mailer,
      defaultSender,
      checkKey: exchangeKeyCheck({ sandboxUrl: config.sandboxUrl ?? '' }),
      newSandboxKey: sandboxKeys(config.sandboxUrl),
      sealing: await sealingKey(masterKey),
      strategySecrets: secrets,
      deliver,
      ...channels,
      authenticatorSecrets: authenticatorSecrets(masterKey),
      sheets,
      pepper: keyFrom(masterKey, 'codes'),
      pageUrl,
      address: { publicUrl: config.publicUrl, isLoopback: config.isLoopback },
      follow: { everyMs: 2_000, lines: 300 }, // ten minutes: then the page asks again
      freeDiskBytes: freeRoom,
      version,
      liveTrading: config.liveTrading,
      mostBotsOfPerson: config.mostBotsOfPerson,
      now,
    },
    {
      pageFolder: join(root, 'dist', 'web'),
      logger: { level: 'warn', stream: log },
      trustedProxies: config.trustedProxies,
    },
  );
  const work = startRegularWork({
    db,
    liveTrading: config.liveTrading,
    windows,
    mailer,
    channels: { secrets: channels.channelSecrets, send: channels.sendToChannel },
    certifier,
    senders: [chatSender(secrets, deliver), sheetSender(secrets, sheets)],
    pageUrl,
    log: app.log,
    now,
  });
  const metrics = await serveMetrics('web', config.metricsPort, webMetrics(app, db));
  const child = beChild(async () => {
    await metrics.close();
    await certifier.close();
    await work.stop();
    drills.close();
    await hindsight.close();
    await app.close();
    await (await opened)?.close();
    windows.close();
    await processes.end();
    await markets.close();
    mailer.close();
    await db.destroy();
  });
  await work.headNoted;
  await loadExchanges();
  await app.listen({ host: config.host, port: config.port });
  child.ready({ ready: true });
}
