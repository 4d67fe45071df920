import { texts } from '#contract/errors.ts';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import fastify from 'fastify';
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { channelHandlers } from './channels/channels.ts';
import { apiKeyHandlers } from './exchange-accounts/api-keys.ts';
import { auditLogHandlers } from './audit/audit-log.ts';
import { authHandlers } from './auth/auth.ts';
import { backtestHandlers } from './backtests/backtests.ts';
import { portfolioHandlers } from './backtests/portfolios.ts';
import { certificateHandlers } from './certificates/certificates.ts';
import { studyHandlers } from './studies/studies.ts';
import { decisionHandlers } from './bots/decisions.ts';
import { botSettingsHandlers } from './bots/bot-settings.ts';
import { archiveHandlers } from './bots/archive.ts';
import { botHandlers } from './bots/bots.ts';
import { bulkHandlers } from './bots/bulk.ts';
import { answerBrokenRequest, answerUnknownExpectation } from './http/broken-request.ts';
import type { Handlers } from './calls/call.ts';
import { chartHandlers } from './chart/chart.ts';
import { cookieName } from './http/cookies.ts';
import { takeCspReports } from './http/csp-reports.ts';
import { answerError, handleErrors } from './http/error-handler.ts';
import { exchangeHandlers } from './exchanges/exchanges.ts';
import { fundHandlers } from './fund/fund.ts';
import { hindsightHandlers } from './bots/hindsight.ts';
import { replayHandlers } from './bots/replay-refused.ts';
import { installationHandlers } from './installation/installation.ts';
import { invitationHandlers } from './users/invitations.ts';
import { investorHandlers } from './fund/investors.ts';
import { drillHandlers } from './bots/drill.ts';
import { freeBalanceHandlers } from './exchange-accounts/free-balance.ts';
import { liveCheckHandlers } from './exchange-accounts/live-check.ts';
import { mailHandlers } from './mails/mails.ts';
import { metricsHandlers } from './monitoring/metrics.ts';
import { serveDescription } from './http/description.ts';
import { mountRoutes } from './mount.ts';
import { needsSecureCookies } from './http/origin.ts';
import { guardAnswers, guardHeaders, servePage } from './http/page.ts';
import { cutOffUnread, unreadPatienceMs } from './http/unread-answers.ts';
import type { ServerDependencies } from './server-dependencies.ts';
import { followHandlers } from './monitoring/follow-status.ts';
import { pulseHandlers } from './monitoring/pulse.ts';
import { profitHandlers } from './profits/profits.ts';
import { reportHandlers } from './reports/reports.ts';
import { settingsHandlers } from './installation/settings.ts';
import { strategyDetailsHandlers } from './strategies/strategy-details.ts';
import { strategyFileHandlers } from './strategies/strategy-files.ts';
import { strategyHandlers } from './strategies/strategies.ts';
import { ruleStrategyHandlers } from './strategies/rule-strategies.ts';
import { whatIfHandlers } from './what-if/what-if.ts';
import { serveProgramModules } from './what-if/serve-program-modules.ts';
import { candleHistoryHandlers } from './candles/candle-history.ts';
import { takeVersionHandlers } from './bots/take-version.ts';
import { strategySettingsHandlers } from './strategies/strategy-settings.ts';
import { systemHandlers } from './monitoring/system.ts';
import { alarmHandlers } from './alarms/alarms.ts';
import { liveAccountHandlers } from './exchange-accounts/live-accounts.ts';
import { limitHandlers } from './limits/limits.ts';
import { tradingStateHandlers } from './trading/trading-states.ts';
import { closeAllHandlers } from './trading/close-all.ts';
import { pairLockHandlers } from './pair-locks/pair-locks.ts';
import { byHandHandlers } from './trades/by-hand.ts';
import { closeTradeHandlers } from './trades/close-trade.ts';
import { tryStopHandlers } from './trades/try-stop.ts';
import { differenceHandlers } from './differences/differences.ts';
import { tradeOrderHandlers } from './trades/trade-orders.ts';
import { tradeHandlers } from './trades/trades.ts';
import { userHandlers } from './users/users.ts';

/** How the server is built, besides its dependencies. */
export interface ServerOptions {
  pageFolder: string | null; // the built page; null serves the API alone
  logger: NonNullable<FastifyServerOptions['logger']> | false;
  trustedProxies: readonly string[]; // addresses and ranges whose X-Forwarded-For is believed
  unreadPatienceMs?: number; // in place of that constant
}

/** Builds the server; it does not listen yet. */
export async function buildServer(dependencies: ServerDependencies, options: ServerOptions): Promise<FastifyInstance> {
  // Text that a schema does not give is the general one.
  z.config({ customError: () => texts.invalidRequest });
  const app = fastify({
    logger: options.logger,
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    bodyLimit: 262_144,
    requestTimeout: 30_000,
    // Node looks for slow callers every 30 s by itself; and it would answer a missing Host without a body.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    clientErrorHandler: answerBrokenRequest,
    // Longer than a proxy keeps what nobody uses (nginx: 60 s): a connection that ends beneath the next call loses that call.
    keepAliveTimeout: 75_000,
    maxRequestsPerSocket: 1_000,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 500 },
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply.headers(guardHeaders)),
  });
  // A body of this type needs no question of the browser to be sent from a foreign page; only JSON is read.
  app.removeContentTypeParser('text/plain');
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  handleErrors(app);
  answerUnknownExpectation(app);
  guardAnswers(app, dependencies.address, options.trustedProxies);
  cutOffUnread(app, options.unreadPatienceMs ?? unreadPatienceMs);
  await app.register(cookie);
  await app.register(swagger, {
    openapi: {
      info: { title: 'Flotilla', version: dependencies.version, description: 'A self-hosted control room for trading bots.' },
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: cookieName('session', needsSecureCookies(dependencies.address)) },
        },
      },
    },
    transform: jsonSchemaTransform,
  });
  await app.register(async (scope) => {
    // Replies of more than a packet; small ones cost more to compress than they save.
    await scope.register(compress, { threshold: 1400, encodings: ['gzip'], zlibOptions: { level: 4 } });
    mountRoutes(scope, allHandlers(dependencies), {
      db: dependencies.db,
      address: dependencies.address,
      now: dependencies.now,
      follow: dependencies.follow,
    });
    serveProgramModules(scope, dependencies.programModules);
    serveDescription(scope, () => app.swagger());
  });
  takeCspReports(app, dependencies.now);
  if (options.pageFolder !== null) await servePage(app, options.pageFolder);
  return app;
}

function allHandlers(dependencies: ServerDependencies): Handlers {
  return {
    ...authHandlers(dependencies),
    ...systemHandlers(dependencies),
    ...chartHandlers(dependencies),
    ...metricsHandlers(dependencies),
    ...settingsHandlers(dependencies),
    ...strategyHandlers(dependencies),
    ...strategyFileHandlers(dependencies),
    ...ruleStrategyHandlers(dependencies),
    ...candleHistoryHandlers(dependencies),
    ...certificateHandlers(dependencies),
    ...takeVersionHandlers(dependencies),
    ...strategyDetailsHandlers(dependencies),
    ...strategySettingsHandlers(dependencies),
    ...exchangeHandlers(dependencies),
    ...botHandlers(dependencies),
    ...archiveHandlers(dependencies),
    ...bulkHandlers(dependencies),
    ...decisionHandlers(dependencies),
    ...liveCheckHandlers(dependencies),
    ...freeBalanceHandlers(dependencies),
    ...drillHandlers(dependencies),
    ...botSettingsHandlers(dependencies),
    ...hindsightHandlers(dependencies),
    ...replayHandlers(dependencies),
    ...backtestHandlers(dependencies),
    ...portfolioHandlers(dependencies),
    ...whatIfHandlers(dependencies),
    ...studyHandlers(dependencies),
    ...apiKeyHandlers(dependencies),
    ...channelHandlers(dependencies),
    ...auditLogHandlers(dependencies),
    ...mailHandlers(dependencies),
    ...userHandlers(dependencies),
    ...installationHandlers(dependencies),
    ...invitationHandlers(dependencies),
    ...tradeHandlers(dependencies),
    ...tradeOrderHandlers(dependencies),
    ...closeAllHandlers(dependencies),
    ...closeTradeHandlers(dependencies),
    ...byHandHandlers(dependencies),
    ...pairLockHandlers(dependencies),
    ...tryStopHandlers(dependencies),
    ...differenceHandlers(dependencies),
    ...fundHandlers(dependencies),
    ...investorHandlers(dependencies),
    ...reportHandlers(dependencies),
    ...profitHandlers(dependencies),
    ...tradingStateHandlers(dependencies),
    ...limitHandlers(dependencies),
    ...alarmHandlers(dependencies),
    ...liveAccountHandlers(dependencies),
    ...pulseHandlers(dependencies),
    ...followHandlers(dependencies),
  };
}
