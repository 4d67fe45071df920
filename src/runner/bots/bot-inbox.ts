import type { BotEvent, MarketView } from '#engine/bot/event.ts';

/** Of each symbol so many candles wait at most; a bot that is this late only acts on the newest anyway. */
const mostCandles = 20;

/**
 * What has happened and waits for a bot: changes, payments and candles in the sequence they came, then the newest prices
 * of each symbol. It cannot grow without end while the bot waits for a database or an exchange.
 */
export class BotInbox {
  #events: BotEvent[] = [];
  readonly #prices = new Map<string, MarketView>();
  readonly #onDropped: (event: BotEvent) => void;

  /** `onDropped` receives the oldest candle of a symbol when there are too many of it. */
  constructor(onDropped: (event: BotEvent) => void = () => {}) {
    this.#onDropped = onDropped;
  }

  /** Takes in an event; one that replaces a waiting one takes its place. */
  add(event: BotEvent): void {
    if (event.kind === 'market') {
      this.#prices.set(event.view.symbol, event.view);
      return;
    }
    const same = this.#events.findIndex((waiting) => replaces(event, waiting));
    if (same === -1) this.#events.push(event);
    else this.#events[same] = event;
    if (event.kind === 'candle-closed') this.#dropOldCandles(event.symbol);
  }

  /** The next event, oldest first; prices when nothing else waits. */
  next(): BotEvent | null {
    const event = this.#events.shift();
    if (event !== undefined) return event;
    for (const [symbol, view] of this.#prices) {
      this.#prices.delete(symbol);
      return { kind: 'market', view };
    }
    return null;
  }

  #dropOldCandles(symbol: string): void {
    const candles = this.#events.filter((event) => event.kind === 'candle-closed' && event.symbol === symbol);
    if (candles.length <= mostCandles) return;
    const [oldest] = candles;
    this.#events = this.#events.filter((event) => event !== oldest);
    if (oldest !== undefined) this.#onDropped(oldest);
  }
}

/** Whether a waiting event need not be handled once a newer one is there. */
function replaces(event: BotEvent, waiting: BotEvent): boolean {
  switch (event.kind) {
    case 'candle-closed':
      return waiting.kind === event.kind && waiting.symbol === event.symbol && waiting.candleTime === event.candleTime;
    case 'funding':
      return waiting.kind === event.kind && waiting.symbol === event.symbol && waiting.time === event.time;
    case 'status-changed':
    case 'settings-changed':
    case 'account-differs':
      return waiting.kind === event.kind;
    case 'close-asked':
    case 'stop-asked':
    case 'held-elsewhere':
      return waiting.kind === event.kind && waiting.tradeId === event.tradeId;
    case 'manual-asked':
      return waiting.kind === event.kind && waiting.action.id === event.action.id;
    case 'holding-adopted':
      return waiting.kind === event.kind && waiting.symbol === event.symbol;
    case 'market':
    case 'book':
    case 'order-numbers-seen':
    case 'order-update':
    case 'entry-refused':
    case 'manual-refused':
      return false;
  }
}
