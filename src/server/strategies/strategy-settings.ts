import { texts } from '#contract/errors.ts';
import { trailingContradiction } from '#contract/own-settings.ts';
import { noIntegrationAfterReset } from '#contract/strategies.ts';
import { hourMs } from '#engine/market/durations.ts';
import { hasLiveBots } from '#storage/bots/bots.ts';
import { codesInUse, marketsAtTimeframeOf } from '#storage/strategies/rule-strategies.ts';
import { findStrategyById, type StrategyView } from '#storage/strategies/strategies.ts';
import {
  changeStrategySettings,
  findStrategyVersion,
  listStrategyVersions,
  lockStrategy,
  type SecretChanges,
  type StrategySettings,
  strategySettingsOf,
} from '#storage/strategies/strategy-settings.ts';
import { noteMessageResult } from '#storage/trades/trade-messages.ts';
import { audit } from '../audit/audit.ts';
import { type Limit, spend } from '../auth/limits.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { refuseAfterReset } from '../auth/recent-reset.ts';
import { refuseRiskier } from '../bots/live-gates.ts';
import { requireStepUp } from '../auth/step-up.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { chatMessage, deliveryFault } from './chat-message.ts';
import { refuseUnrunnableAt } from '../bots/strategy-on-market.ts';
import { hasTimeframe } from '../exchanges/offered.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { versionsReply } from '../bots/settings-versions.ts';
import { sheetFault, spreadsheetIdIn } from './sheet-fault.ts';
import { changesBetween } from './strategy-changes.ts';
import { shownSecrets } from './strategy-secrets.ts';
import { noSecrets, toStrategyReply } from './strategy-reply.ts';

type ChangingCall = Pick<Call<'updateStrategy'>, 'caller' | 'now' | 'address' | 'requestId' | 'ifVersion'>;
type Changes = Call<'updateStrategy'>['body'];

/** What no trade depends on. */
const harmless: ReadonlySet<string> = new Set(['name', 'description']);

/** Test messages and rows go out to others: not often. */
const testMessages: Limit = { name: 'test-webhook', most: 10, windowMs: hourMs };
const testRows: Limit = { name: 'test-sheet', most: 10, windowMs: hourMs };

/** Changing a strategy for all its bots, and the versions of its settings. */
export function strategySettingsHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'updateStrategy' | 'testWebhook' | 'testSheet' | 'listStrategyVersions' | 'restoreStrategyVersion'> {
  const { db, markets, strategySecrets } = dependencies;

  /** Gives a strategy other settings, in one transaction with the strategy locked. */
  const change = async (
    call: ChangingCall,
    id: string,
    wanted: (before: StrategySettings) => StrategySettings,
    secrets: SecretChanges = {},
  ) => {
    const { caller, now } = call;
    // They send what the trades of everybody's bots do to somewhere else, as a channel does; without one nothing is sent.
    const sendsElsewhere = Object.values(secrets).some((sealed) => sealed !== null);
    const stored = await db.transaction().execute(async (trx) => {
      await lockCaller(trx, caller, [], 'changes');
      const strategy = await lockStrategy(trx, id);
      if (strategy === null || strategy.removedAt !== null) throw new HttpError(404, 'Strategy not found');
      if (call.ifVersion !== null && call.ifVersion !== strategy.version) throw new HttpError(409, texts.changedMeanwhile);
      const before = strategySettingsOf(strategy);
      const after = wanted(before);
      refuseContradictions(after);
      if (after.defaultTimeframe !== before.defaultTimeframe) {
        for (const code of await codesInUse(trx, id)) refuseUnrunnableAt(code, after.defaultTimeframe);
        for (const market of await marketsAtTimeframeOf(trx, id)) {
          const exchange = markets.find(market.exchangeId);
          if (exchange !== undefined && !(await hasTimeframe(markets, market, after.defaultTimeframe)))
            throw new HttpError(400, `Bots of this strategy trade at an exchange without this timeframe: ${exchange.name}`);
        }
      }
      const changed = changesBetween(before, after);
      const isTraded = changed.some(({ field }) => !harmless.has(field));
      if (isTraded || sendsElsewhere) await refuseSuspended(trx, caller.id);
      // All live bots of everybody trade by it from the next candle on.
      if (isTraded && (await hasLiveBots(trx, id))) await refuseRiskier(trx, call);
      if (sendsElsewhere) {
        requireStepUp(caller, now);
        await refuseAfterReset(trx, caller.id, now, noIntegrationAfterReset);
      }
      await changeStrategySettings(trx, strategy, after, secrets, caller.id, dependencies.now()); // its turn, as of a bot
      const detail = Object.fromEntries(changed.map(({ field, from, to }) => [field, { from, to }]));
      await audit(trx, call, caller, 'change-strategy', 'ok', { target: id, detail: { ...detail, ...secretNames(secrets) } });
      return found(await findStrategyById(trx, id));
    });
    return toStrategyReply(stored, (await shownSecrets(dependencies, caller)).get(id) ?? noSecrets);
  };

  return {
    async updateStrategy(call) {
      const { id } = call.params;
      const { body } = call;
      const exchanges = body.supported_exchanges?.map((name) => name.trim()).filter((name) => name !== '');
      const unknown = exchanges?.find((name) => !markets.exchanges.some((exchange) => exchange.id === name));
      if (unknown !== undefined) throw new HttpError(400, `Exchange not found: ${unknown}`);
      const { encrypted_webhook: webhook, encrypted_sheets_key: sheetsKey } = body;
      const secrets: SecretChanges = {
        ...(webhook === undefined ? {} : { webhook: webhook === '' ? null : strategySecrets.seal(id, 'webhook', webhook) }),
        ...(sheetsKey === undefined ? {} : { sheetsKey: sheetsKey === '' ? null : strategySecrets.seal(id, 'sheets_key', sheetsKey) }),
      };
      return change(call, id, (before) => merged(before, body, exchanges), secrets);
    },

    async testWebhook(call) {
      const { id } = call.params;
      const strategy = await findStrategyById(db, id);
      if (strategy === null) throw new HttpError(404, 'Strategy not found');
      const webhook = (await shownSecrets(dependencies, call.caller)).get(id)?.webhook ?? null;
      if (webhook === null) throw new HttpError(400, 'No webhook is set');
      await spend(db, testMessages, call.caller.id, call.now, texts.tooManyRequests);
      const error = deliveryFault(
        await dependencies.deliver(webhook, chatMessage(`Test message of Flotilla for the strategy ${strategy.name}`)),
      );
      await noteMessageResult(db, id, 'chat', { at: call.now.toISOString(), error });
      await audit(db, call, call.caller, 'test-webhook', error === null ? 'ok' : 'failed', { target: id });
      return { error };
    },

    async testSheet(call) {
      const { id } = call.params;
      const { sheets } = dependencies;
      const strategy = await findStrategyById(db, id);
      if (strategy === null) throw new HttpError(404, 'Strategy not found');
      if (sheets === null) throw new HttpError(400, 'This server has no access to spreadsheets');
      const key = (await shownSecrets(dependencies, call.caller)).get(id)?.sheetsKey ?? null;
      if (key === null) throw new HttpError(400, 'No sheets key is set');
      await spend(db, testRows, call.caller.id, call.now, texts.tooManyRequests);
      const row = [call.now.toISOString(), `Test row of Flotilla for the strategy ${strategy.name}`];
      const appended = await sheets.append(spreadsheetIdIn(key), row);
      const error = appended.ok ? null : sheetFault(appended.fault, sheets.account).text;
      await noteMessageResult(db, id, 'sheet', { at: call.now.toISOString(), error });
      await audit(db, call, call.caller, 'test-sheet', error === null ? 'ok' : 'failed', { target: id });
      return { error };
    },

    async listStrategyVersions({ params }) {
      if ((await findStrategyById(db, params.id)) === null) throw new HttpError(404, 'Strategy not found');
      return versionsReply(await listStrategyVersions(db, params.id), changesBetween);
    },

    async restoreStrategyVersion(call) {
      const { id, version } = call.params;
      if ((await findStrategyById(db, id)) === null) throw new HttpError(404, 'Strategy not found');
      const settings = await findStrategyVersion(db, id, version);
      if (settings === null) throw new HttpError(404, 'Version not found');
      return change(call, id, () => settings);
    },
  };
}

function merged(before: StrategySettings, body: Changes, exchanges: string[] | undefined): StrategySettings {
  const amount = (value: number | undefined, kept: string | null): string | null =>
    value === undefined ? kept : value === 0 ? null : String(value);
  return {
    name: body.name?.trim() ?? before.name,
    description: body.description ?? before.description,
    supportedExchanges: exchanges === undefined ? before.supportedExchanges : [...new Set(exchanges)],
    defaultTimeframe: body.default_timeframe ?? before.defaultTimeframe,
    stoploss: body.stoploss === undefined ? before.stoploss : String(body.stoploss),
    trailingStop: body.trailing_stop ?? before.trailingStop,
    trailingStopPositive: amount(body.trailing_stop_positive, before.trailingStopPositive),
    trailingStopPositiveOffset:
      body.trailing_stop_positive_offset === undefined ? before.trailingStopPositiveOffset : String(body.trailing_stop_positive_offset),
    trailingOnlyOffsetIsReached: body.trailing_only_offset_is_reached ?? before.trailingOnlyOffsetIsReached,
    maxConsecutiveLosses: body.max_consecutive_losses ?? before.maxConsecutiveLosses,
    riskRewardRatio: amount(body.risk_reward_ratio, before.riskRewardRatio),
    minimalRoi: body.minimal_roi ?? before.minimalRoi,
    orderTypes: (body.order_types as StrategySettings['orderTypes'] | undefined) ?? before.orderTypes,
    orderTimeInForce: (body.order_time_in_force as StrategySettings['orderTimeInForce'] | undefined) ?? before.orderTimeInForce,
  };
}

/** Fails for settings that the engine would refuse: every bot of the strategy would stand still. */
function refuseContradictions(after: StrategySettings): void {
  const contradiction = trailingContradiction({
    trailing_stop: after.trailingStop,
    trailing_stop_positive: Number(after.trailingStopPositive ?? 0),
    trailing_stop_positive_offset: Number(after.trailingStopPositiveOffset ?? 0),
    trailing_only_offset_is_reached: after.trailingOnlyOffsetIsReached,
  });
  if (contradiction !== null) throw new HttpError(400, contradiction);
}

/** That a secret was set or removed, never what it is. */
function secretNames(secrets: SecretChanges): Record<string, string> {
  return Object.fromEntries(Object.entries(secrets).map(([name, sealed]) => [name, sealed === null ? 'removed' : 'set']));
}

function found(strategy: StrategyView | null): StrategyView {
  if (strategy === null) throw new Error('The strategy that was changed is gone');
  return strategy;
}
