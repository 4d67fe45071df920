import { noLiveAfterReset } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import type { BotView } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { storeFault } from '#storage/installation/store-fault.ts';
import { isLiveAllowed, tradeModeOf } from '#storage/trades/trade-mode.ts';
import { refuseAfterReset } from '../auth/recent-reset.ts';
import { requireStepUp } from '../auth/step-up.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import type { Call } from '../calls/call.ts';
import { hasTimeframe, unofferedTimeframe } from '../exchanges/offered.ts';
import { refuseLookAhead } from './strategy-on-market.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** Where a live bot trades, or would. */
type Place = Pick<BotView, 'apiKeyId' | 'exchangeId' | 'codeDescription'>;

/** A place for which somebody answers. */
type OwnedPlace = Place & Pick<BotView, 'ownerVerified'>;

/**
 * Fails unless a bot may become live there, and the caller may make it so: with the password, and not on the day after its reset. Nobody
 * has a bot of somebody go live who is suspended.
 */
export async function refuseGoingLive(
  dependencies: ServerDependencies,
  trx: Database,
  { caller, now }: Pick<Call<'changeBotMode'>, 'caller' | 'now'>,
  place: OwnedPlace,
): Promise<void> {
  await refuseLive(dependencies, trx, place);
  refuseSuspendedOwner(place);
  await refuseUnsafeCaller(trx, { caller, now });
}

/**
 * Fails unless the caller may have a bot go live: not suspended, with the password, and not on the day after its reset.
 *
 * Needs: as `refuseSuspended`
 */
export async function refuseUnsafeCaller(trx: Database, { caller, now }: Pick<Call<'changeBotMode'>, 'caller' | 'now'>): Promise<void> {
  await refuseSuspended(trx, caller.id);
  requireStepUp(caller, now);
  await refuseAfterReset(trx, caller.id, now, noLiveAfterReset);
}

/**
 * Fails unless the caller may let a live bot risk more: not suspended, with the password, and not on the day after its reset.
 *
 * Needs: as `refuseSuspended`
 */
export async function refuseRiskier(trx: Database, { caller, now }: Pick<Call<'changeBotMode'>, 'caller' | 'now'>): Promise<void> {
  await refuseSuspended(trx, caller.id);
  requireStepUp(caller, now);
  await refuseAfterReset(trx, caller.id, now, texts.noRiskAfterReset);
}

/**
 * Fails when the bot must not become active: its owner is not verified, or it is live without what live needs. Where real orders would
 * be sent it takes the password.
 */
export async function refuseActivation(
  dependencies: ServerDependencies,
  trx: Database,
  { caller, now }: Pick<Call<'toggleBot'>, 'caller' | 'now'>,
  bot: BotView,
): Promise<void> {
  if (bot.mode === 'live') await refuseLive(dependencies, trx, bot);
  refuseSuspendedOwner(bot);
  await refuseLostTimeframe(dependencies, bot);
  if (tradeModeOf(bot) === 'live') requireStepUp(caller, now);
}

/**
 * Fails when the timeframe that a bot follows is one of other exchanges: its strategy got it while the bot was archived. It would get no
 * signals. Where nothing can be known of the exchange now the bot is started, as one that runs goes on.
 */
async function refuseLostTimeframe({ markets }: ServerDependencies, bot: BotView): Promise<void> {
  if (!markets.exchanges.some(({ id }) => id === bot.exchangeId)) return;
  const timeframe = bot.ownSettings.timeframe ?? bot.strategyTimeframe;
  const isThere = await hasTimeframe(markets, bot, timeframe).catch(() => true);
  if (!isThere) throw unofferedTimeframe(timeframe);
}

/** Fails when the owner of a bot is suspended, whoever calls. */
function refuseSuspendedOwner(bot: Pick<BotView, 'ownerVerified'>): void {
  if (!bot.ownerVerified) throw new HttpError(403, texts.notVerified);
}

/** Fails when no bot may be live there: with a strategy that looks ahead, without a key, where the server does not trade, or with a database that may lose orders. */
export async function refuseLive(
  { liveTrading }: ServerDependencies,
  trx: Database,
  { apiKeyId, exchangeId, codeDescription }: Place,
): Promise<void> {
  refuseLookAhead(codeDescription);
  if (apiKeyId === null) throw new HttpError(400, texts.keyRequired);
  if (!isLiveAllowed(liveTrading, exchangeId)) throw new HttpError(403, texts.liveDisabled);
  if ((await storeFault(trx)) !== null) throw new HttpError(403, texts.undurableStore);
}
