import type { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { MemoryDisk } from '../../simulation/memory-disk.ts';
import { netOf } from '../../simulation/memory-disk.ts';
import type { World } from '../../simulation/world.ts';

const step = 0.001;
const round = (amount: number): number => Math.round(amount * 1e9) / 1e9;
const roundDown = (amount: number): number => Math.floor(amount / step + 1e-6) * step;

/**
 * The owner of the bot, who decides about what orders without a record have left: adopts it, or evens it out by hand. Then lets the bot
 * enter again. What a person has decided is never lost.
 */
export class SimPerson {
  readonly #world: World;
  readonly #disk: MemoryDisk;
  readonly #venue: InMemoryVenue;
  readonly #isFutures: boolean;
  #toTrade = 0; // by hand, in base currency; negative is to sell
  #count = 0;

  constructor(world: World, disk: MemoryDisk, venue: InMemoryVenue, isFutures: boolean) {
    this.#world = world;
    this.#disk = disk;
    this.#venue = venue;
    this.#isFutures = isFutures;
  }

  /** How often something was decided. */
  get decisions(): number {
    return this.#count;
  }

  /** Whether nothing is left to decide or to do. */
  get isDone(): boolean {
    const disk = this.#disk;
    return disk.undecided === 0 && this.#toTrade === 0 && disk.wishes.every((wish) => disk.isOver(wish));
  }

  /** Decides what is to be decided; called every second. */
  async act(price: number): Promise<void> {
    const disk = this.#disk;
    if (this.#isFutures) disk.reopenUnbooked();
    if (disk.wishes.some((wish) => !disk.isOver(wish))) return;
    if (this.#toTrade !== 0) {
      // What a stop has sold before it was cancelled need not be sold by hand.
      if (disk.undecided !== 0) {
        this.#toTrade = round(this.#toTrade - disk.undecided);
        disk.flush();
        disk.settle();
        return;
      }
      if (!disk.isStanding()) await this.#trade(price);
      return;
    }
    const { undecided } = disk;
    if (undecided !== 0) this.#decide(undecided);
    else if (disk.tradingState === 'reducing') {
      disk.flush();
      disk.tradingState = 'active';
    }
  }

  #decide(undecided: number): void {
    const disk = this.#disk;
    const [trade] = disk.state.trades;
    const amount = Math.abs(undecided);
    const direction = undecided > 0 ? 'long' : 'short';
    const isSmall = roundDown(amount) === 0;
    this.#count += 1;
    const fillId = `outside-${this.#count}`;
    const time = this.#world.now;
    const canAdopt = trade === undefined && !isSmall && (this.#isFutures || undecided > 0);
    const isLess = trade !== undefined && trade.direction !== direction && amount <= trade.amount;
    const price = this.#averagePrice();
    const decided = new Map([...disk.noted].map(([id, each]) => [id, netOf(each) - each.settled]));
    disk.flush();
    disk.settle();
    if (canAdopt && this.#world.happens(0.5)) {
      const holding = { direction, amount, price, fee: 0 } as const;
      disk.wishes.push({ event: { kind: 'holding-adopted', time, symbol: this.#symbol, holding, fillId }, decided });
      // What is below a step stays.
    } else if (isLess && this.#world.happens(0.5))
      disk.wishes.push({ event: { kind: 'held-elsewhere', time, tradeId: trade.id, amount, fillId }, decided });
    else this.#toTrade = -undecided;
  }

  /** The bot of this person trades one. */
  get #symbol(): string {
    return this.#disk.symbols[0] ?? '';
  }

  #averagePrice(): number {
    const fills = [...this.#disk.noted.values()].filter((each) => netOf(each) !== each.settled).flatMap((each) => each.fills);
    const amount = fills.reduce((sum, fill) => sum + fill.amount, 0);
    return fills.reduce((sum, fill) => sum + fill.amount * fill.price, 0) / amount;
  }

  /** Evens out by hand. On spot some coins more do no harm, and what is below a step stays. */
  async #trade(price: number): Promise<void> {
    const symbol = this.#symbol;
    this.#venue.setPrices(symbol, { bid: price, ask: price + 0.02 });
    const amount = Math.abs(this.#toTrade);
    if (this.#toTrade > 0) {
      await this.#order('buy', roundDown(amount) + 1);
      if (this.#isFutures) await this.#order('sell', 1);
    } else if (this.#isFutures) {
      await this.#order('sell', roundDown(amount) + 1);
      await this.#order('buy', 1);
    } else if (roundDown(amount) * price > 10) await this.#order('sell', roundDown(amount));
    this.#toTrade = 0;
  }

  async #order(side: 'buy' | 'sell', amount: number): Promise<void> {
    const order = { symbol: this.#symbol, side, type: 'market' as const, amount: Math.round(amount / step) * step };
    const exact = Math.round(order.amount * 1_000) / 1_000;
    const clientOrderId = `hand-${(this.#count += 1)}`;
    await this.#venue.place({
      ...order,
      amount: exact,
      clientOrderId,
      price: null,
      stopPrice: null,
      reduceOnly: false,
      expiresAt: Infinity,
    });
  }
}
