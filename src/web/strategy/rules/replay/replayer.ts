import type { MarketHistory } from '#contract/packed-history.ts';
import { unpackHistory } from '#contract/packed-history.ts';
import type { StrategyBacktestResult } from '#engine/backtest/backtest-strategy.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { type HeldRules, heldRules } from '#engine/rules/held-rules.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import { switchedOver } from '../edit/rule-edits.ts';
import { ruleRows } from '../edit/rule-rows.ts';
import type { DraftJob, FiguresJob, FromWorker, HeldDraft, MarketNames, ToWorker } from './messages.ts';
import { lastDays } from './messages.ts';
import { operandsOf } from './operands-of.ts';
import { type ReplayMarket, type ReplayRange, replayRules } from './replay-rules.ts';
import { holdingOf, type ReplaySummary, summaryOf } from './replay-summary.ts';
import { testStake } from './test-account.ts';

/** What replays need of where they run. */
export interface ReplayerPlace {
  post(message: FromWorker, transfer?: ArrayBuffer[]): void;
  nextTurn(): Promise<void>; // when messages that have arrived meanwhile are taken
  now(): number; // ms
}

/**
 * Replays documents, one piece of work after the other. Between two pieces it takes new messages: a newer draft ends what is left of
 * the one before, and comes before all figures.
 */
export class Replayer {
  readonly #place: ReplayerPlace;
  readonly #histories = new Map<string, MarketHistory>();
  #draft: DraftJob | null = null; // the newest, not begun
  #figures: FiguresJob[] = [];
  #saved: { of: string; summary: ReplaySummary | null } | null = null;
  #held: { id: number; document: RulesDocument; held: HeldRules } | null = null;
  #isAtWork = false;

  constructor(place: ReplayerPlace) {
    this.#place = place;
  }

  /** Takes a message. Needs: that the histories a job names came before it */
  take(message: ToWorker): void {
    switch (message.kind) {
      case 'history':
        this.#histories.set(message.name, unpackHistory(message.packed));
        return;
      case 'values':
        this.#answerValues(message.id, message.row);
        return;
      case 'draft':
        this.#draft = message;
        break;
      case 'figures':
        this.#figures.push(message);
    }
    if (!this.#isAtWork) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isAtWork = true;
    for (;;) {
      const draft = this.#draft;
      this.#draft = null;
      const pieces = draft !== null ? this.#draftPieces(draft) : this.#figuresPieces();
      let isDone = true;
      for (const _ of pieces) {
        isDone = false;
        await this.#place.nextTurn();
        if (this.#draft !== null) break;
      }
      if (draft === null && isDone) break;
    }
    this.#isAtWork = false;
  }

  /** The work on a draft, a piece at a time: what is looked at first comes first. */
  *#draftPieces({ id, market, draft, saved }: DraftJob): Generator<void> {
    const from = this.#place.now();
    const place = this.#placeOf(market);
    let result: StrategyBacktestResult;
    try {
      result = replayRules(draft, place);
    } catch (error) {
      this.#held = null;
      this.#place.post({ kind: 'failed', id, fault: error instanceof Error ? error.message : String(error) });
      return;
    }
    const terms = termsOf(place);
    const hold = holdingOf(result, terms.stake);
    this.#place.post({ kind: 'drafted', id, draft: summaryOf(result, terms), hold, tookMs: this.#place.now() - from });
    yield;
    this.#place.post({ kind: 'saved', id, saved: this.#summaryOfSaved(saved, market) });
    yield;
    this.#postHeld(id, draft, result);
    yield;
    const paths = ruleRows(draft).flatMap(({ path, depth }) => (depth === 0 ? [path] : []));
    for (const [i, path] of paths.entries()) {
      const figures = this.#summary(switchedOver(draft, path), market)?.figures ?? null;
      this.#place.post({ kind: 'effect', id, effect: { path, figures }, isLast: i === paths.length - 1 });
      yield;
    }
  }

  /** The next document of the figures that are waited for. */
  *#figuresPieces(): Generator<void> {
    for (let job = this.#figures[0]; job !== undefined; job = this.#figures[0]) {
      const { id, market, documents, days } = job;
      const [document, ...rest] = documents;
      const place = documents.length; // counted from the end
      if (rest.length === 0) this.#figures.shift();
      else this.#figures[0] = { ...job, documents: rest };
      if (document === undefined) continue;
      const { to } = this.#historyOf(market.history);
      const summary = this.#summary(document, market, days === null ? undefined : lastDays(to, days));
      this.#place.post({ kind: 'figures', id, place, summary, isLast: rest.length === 0 });
      yield;
    }
  }

  /** A version does not change: it is replayed once for each market. */
  #summaryOfSaved(saved: RulesDocument | null, market: MarketNames): ReplaySummary | null {
    const of = JSON.stringify([saved, market]);
    if (this.#saved?.of !== of) this.#saved = { of, summary: saved === null ? null : this.#summary(saved, market) };
    return this.#saved.summary;
  }

  /** What a document comes to; null where it cannot be replayed. */
  #summary(document: RulesDocument, market: MarketNames, range?: ReplayRange): ReplaySummary | null {
    const place = this.#placeOf(market);
    try {
      return summaryOf(replayRules(document, place, range), termsOf(place));
    } catch {
      return null; // a fault, which the page says itself, or too few candles
    }
  }

  #postHeld(id: number, draft: RulesDocument, result: StrategyBacktestResult): void {
    const [computed] = result.computed;
    if (computed === undefined) return;
    const { candles, others, signals } = computed;
    const firstRow = candles.openTime.findIndex((time) => time >= result.startTime);
    const held = heldRules(draft, candles, { parameters: defaultParameters(draft), others, firstRow });
    this.#held = { id, document: draft, held };
    const message: HeldDraft = {
      rows: held.rows,
      firstTime: result.startTime,
      stepMs: timeframeLengths[draft.defaults.timeframe],
      rules: held.rules,
      signals: held.signals,
      lines: Object.entries(signals.indicators).map(([name, values]) => ({ name, values: values.slice(firstRow) })),
    };
    const flags = [...held.rules.flatMap((rule) => rule.held ?? []), ...Object.values(held.signals)];
    const buffers = [...flags, ...message.lines.map(({ values }) => values)].map(({ buffer }) => buffer as ArrayBuffer);
    this.#place.post({ kind: 'held', id, held: message }, [...new Set(buffers)]);
  }

  #answerValues(id: number, row: number): void {
    if (this.#held === null || row < 0 || row >= this.#held.held.rows) return;
    const { document, held } = this.#held;
    const values = operandsOf(document).map(({ path, operand }) => [path, held.valueAt(operand, row)] as const);
    this.#place.post({ kind: 'values', id, row, values: Object.fromEntries(values) });
  }

  #placeOf({ exchangeId, marketType, history, others }: MarketNames): ReplayMarket {
    return {
      exchangeId,
      marketType,
      history: this.#historyOf(history),
      others: Object.fromEntries(Object.entries(others).map(([symbol, name]) => [symbol, this.#historyOf(name)])),
    };
  }

  #historyOf(name: string): MarketHistory {
    const history = this.#histories.get(name);
    if (history === undefined) throw new Error(`There is no history ${name}`);
    return history;
  }
}

function termsOf({ history }: ReplayMarket): { stake: number; currency: string } {
  const { quote } = history.instrument;
  return { stake: testStake(quote), currency: quote };
}
