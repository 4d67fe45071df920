import { errorText } from '#engine/ports/error-text.ts';
import { holdingsToAdopt, noteAdopted } from '#storage/differences/adopted-holdings.ts';
import { tradesToClose } from '#storage/trades/close-asked.ts';
import { actionsToDo } from '#storage/trades/manual-actions.ts';
import { stopsToTry } from '#storage/trades/stop-asked.ts';
import { missingAmounts } from '#storage/differences/missing-amounts.ts';
import { tradesHeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import type { BotChange } from '#storage/bots/running-bots.ts';
import { botsWithTrades, listBotChanges, listClaimedBots, readBot, writeLastError } from '#storage/bots/running-bots.ts';
import { isConnectionLost } from '#storage/database-gone.ts';
import { storeFault } from '#storage/installation/store-fault.ts';
import { Changed, claimBots, Fenced, listSurplusBots, releaseBot } from '#storage/bots/runners.ts';
import type { BotDependencies } from './bot-dependencies.ts';
import { RunningBot } from './running-bot.ts';
import { Failures } from './failures.ts';

const claimAtOnce = 200;
const startAtOnce = 50; // of an exchange: one that does not answer must not hold up the bots of others
const forOthers = 10; // further ones that run and were changed, or of people none of whose bots is being started: bots that begin slowly must not hold up these

/** After so many failures in a row a bot is released: another runner may be able to run it. */
const failuresBeforeRelease = 3;

/**
 * The bots of a runner: claims its share of those that nobody runs, starts each from what the database knows, and
 * releases those that are too many or that it cannot run.
 */
export class BotPool {
  readonly bots = new Map<string, RunningBot>();
  readonly #dependencies: BotDependencies;
  readonly #onError: (error: unknown) => void;
  readonly #failures: Failures;
  readonly #starting = new Map<string, BotChange>(); // by id, until its prices are watched
  readonly #places = new Map<string, BotChange>(); // by id, until its signals are watched, too
  #lostLeases = 0; // a start that began before one was lost comes to nothing
  #isStopped = false;

  constructor(dependencies: Omit<BotDependencies, 'onEnd'>, onError: (error: unknown) => void) {
    this.#dependencies = { ...dependencies, onEnd: (bot, error) => this.#ended(bot, error) };
    this.#onError = onError;
    this.#failures = new Failures(dependencies.now);
  }

  /** Claims what is free, and brings what runs in line with what people want. */
  async scan(): Promise<void> {
    const { db } = this.#dependencies;
    const runnerId = this.#dependencies.runnerId();
    const lostLeases = this.#lostLeases;
    for (const { id, changedAt } of await listBotChanges(db, this.#failures.resting())) this.#failures.noteChange(id, changedAt);
    // One that is being started may fail and be given up at this moment; it must not be claimed again by the same scan.
    const unwanted = (): string[] => [...this.#failures.resting(), ...this.#starting.keys()];
    while ((await claimBots(db, runnerId, claimAtOnce, unwanted())).length === claimAtOnce);
    const claimed = await listClaimedBots(db, runnerId);
    const ids = new Set(claimed.map(({ id }) => id));
    for (const [id, bot] of this.bots) if (!ids.has(id)) this.#drop(bot);
    const waiting = claimed.filter(({ id, epoch, changedAt, tradingState }) => {
      const bot = this.bots.get(id);
      if (this.#starting.has(id) || this.#failures.isResting(id)) return false;
      return bot === undefined || bot.epoch !== epoch || bot.changedAt !== changedAt || bot.tradingState !== tradingState;
    });
    for (const bot of await this.#next(waiting)) {
      const { id } = bot;
      // Not waited for: an exchange may not answer.
      this.#starting.set(id, bot);
      this.#places.set(id, bot);
      void this.#restart(bot, lostLeases)
        .catch(this.#onError)
        .finally(() => {
          this.#hasStarted(bot);
          if (this.#places.get(id) === bot) this.#places.delete(id);
        });
    }
    // First what is missing: what is booked by the wishes below is missing no more.
    const lacking = Map.groupBy(await missingAmounts(db, { runnerId }), ({ botId }) => botId);
    for (const [id, bot] of this.bots) if (!this.#starting.has(id)) bot.seeMissing(lacking.get(id) ?? []);
    // A wish does not change the bot: starting it again would cost it its newest signal. One that starts now is asked by the next scan.
    const corrections = await tradesHeldElsewhere(db, runnerId);
    for (const [id, wishes] of Map.groupBy(corrections, ({ botId }) => botId))
      if (!this.#starting.has(id)) this.bots.get(id)?.correctTrades(wishes);
    const adopted = await holdingsToAdopt(db, runnerId);
    for (const { id, tradeId } of adopted) if (tradeId !== null) await noteAdopted(db, id, tradeId, new Date());
    const waitingHoldings = adopted.filter(({ tradeId }) => tradeId === null);
    for (const [id, wishes] of Map.groupBy(waitingHoldings, ({ botId }) => botId))
      if (!this.#starting.has(id)) this.bots.get(id)?.adoptHoldings(wishes);
    const uncorrected = new Set(corrections.map(({ tradeId }) => tradeId));
    for (const [id, trades] of await tradesToClose(db, runnerId)) {
      // What the account does not hold cannot be sold: it is booked first.
      const ready = trades.filter((trade) => !uncorrected.has(trade));
      if (!this.#starting.has(id)) this.bots.get(id)?.closeTrades(ready);
    }
    for (const [id, wishes] of Map.groupBy(await stopsToTry(db, runnerId), ({ botId }) => botId))
      if (!this.#starting.has(id)) this.bots.get(id)?.tryStops(wishes);
    for (const [id, actions] of Map.groupBy(await actionsToDo(db, runnerId), ({ botId }) => botId))
      if (!this.#starting.has(id)) this.bots.get(id)?.doByHand(actions);
  }

  /**
   * Those that are started now. One that starts again while it waits for its history has its place. Of the others those come first that run
   * and were changed, as somebody waits for them, then the ones with an open trade: their stops and exits wait for them.
   */
  async #next(waiting: readonly BotChange[]): Promise<readonly BotChange[]> {
    const next = waiting.filter(({ id }) => this.#places.has(id));
    const others = waiting.filter(({ id }) => !this.#places.has(id));
    for (const [exchange, bots] of Map.groupBy(others, ({ exchangeId }) => exchangeId)) {
      const starting = [...this.#places.values()].filter(({ exchangeId }) => exchangeId === exchange);
      const most = startAtOnce - starting.length;
      const ids = bots.length > most ? bots.map(({ id }) => id) : [];
      const trading = await botsWithTrades(this.#dependencies.db, ids);
      const owners = new Set(starting.map(({ ownerId }) => ownerId));
      let places = most;
      const rank = ({ id }: BotChange): number => (this.bots.has(id) ? 2 : 0) + (trading.has(id) ? 1 : 0);
      for (const bot of bots.toSorted((a, b) => rank(b) - rank(a))) {
        if (places <= (owners.has(bot.ownerId) && !this.bots.has(bot.id) ? 0 : -forOthers)) continue;
        places -= 1;
        owners.add(bot.ownerId);
        next.push(bot);
      }
    }
    return next;
  }

  /** Releases the bots beyond this runner's share, each once it has nothing under way. */
  async share(): Promise<void> {
    const { db } = this.#dependencies;
    const runnerId = this.#dependencies.runnerId();
    for (const id of await listSurplusBots(db, runnerId)) {
      if (this.#starting.has(id)) continue;
      await this.#settle(id);
      await releaseBot(db, runnerId, id, false);
    }
  }

  /** Ends all bots at once, without writing: they may be another runner's by now. */
  dropAll(): void {
    this.#lostLeases += 1;
    for (const bot of this.bots.values()) this.#drop(bot);
  }

  /** Ends all bots once what they have under way is written. Nothing is started any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.bots.keys()].map((id) => this.#settle(id)));
  }

  /** A bot whose status or settings have changed starts again from the database, once it has nothing under way. */
  async #restart(change: BotChange, lostLeases: number): Promise<void> {
    const { id, changedAt } = change;
    if (this.bots.has(id)) this.#dependencies.log('a bot is started again', { bot: id });
    await this.#settle(id);
    const { db } = this.#dependencies;
    try {
      const stored = await readBot(db, id);
      const fault = stored === null || stored.mode === 'paper' ? null : await storeFault(db);
      if (stored === null || this.#isStopped || this.#lostLeases !== lostLeases) return;
      if (fault !== null) throw new Error(fault);
      const bot = new RunningBot(this.#dependencies, stored, changedAt);
      this.bots.set(id, bot);
      await bot.start(() => this.#hasStarted(change));
    } catch (error) {
      const bot = this.bots.get(id);
      if (bot !== undefined) this.#drop(bot);
      this.#dependencies.log('a bot could not be started', { bot: id, error: String(error) });
      await this.#failed(id, changedAt, error);
    }
  }

  /** From here on a bot does what people want, and is started again when they change it: its history may take minutes. */
  #hasStarted(change: BotChange): void {
    if (this.#starting.get(change.id) === change) this.#starting.delete(change.id);
  }

  /** A bot has ended itself. One that another runner has, or that people have changed, has not failed. */
  #ended(bot: Pick<RunningBot, 'id' | 'changedAt'>, error: unknown): void {
    this.#dependencies.log('a bot has ended itself', { bot: bot.id, error: String(error) });
    if (this.bots.get(bot.id) !== bot) return;
    this.bots.delete(bot.id);
    if (error instanceof Fenced || error instanceof Changed) return;
    this.#failed(bot.id, bot.changedAt, error).catch(this.#onError);
  }

  async #failed(id: string, changedAt: string, error: unknown): Promise<void> {
    const { db } = this.#dependencies;
    // It is not the bot's fault, no other runner could run it better, and it is needed as soon as there is a database.
    if (isConnectionLost(error)) return this.#failures.rest(id, changedAt);
    const count = this.#failures.add(id, changedAt);
    await writeLastError(db, id, errorText(error));
    if (count >= failuresBeforeRelease) await releaseBot(db, this.#dependencies.runnerId(), id, true);
  }

  async #settle(id: string): Promise<void> {
    const bot = this.bots.get(id);
    if (bot === undefined) return;
    await bot.settle();
    await bot.save();
    this.#drop(bot);
  }

  #drop(bot: RunningBot): void {
    bot.end();
    if (this.bots.get(bot.id) === bot) this.bots.delete(bot.id);
  }
}
