import type { OrderReport } from '#engine/bot/event.ts';
import type { FeeValues } from './fee-values.ts';

/** Whom the reports are for. */
export interface ReportReader {
  feeValues: FeeValues;
  symbolOf: (orderId: string) => string | undefined; // undefined where the order is of no trade that is remembered
  onReport: (orderId: string, report: OrderReport) => void;
  onError: (error: unknown) => void;
}

/** Gives reports of orders on; fees in a third currency get their value first, because a fill counts once. */
export class ValuedReports {
  readonly #reader: ReportReader;
  #valuing: Promise<void> = Promise.resolve(); // reports that wait for the value of a fee, one after the other
  #waiting = 0;
  #isEnded = false;

  constructor(reader: ReportReader) {
    this.#reader = reader;
  }

  /** Gives a report on, at once or when the values of its fees are known. */
  take(orderId: string, report: OrderReport): void {
    const symbol = this.#reader.symbolOf(orderId);
    if (symbol === undefined || report.fills.every(({ feeInQuote }) => feeInQuote !== null)) {
      this.#reader.onReport(orderId, report);
      return;
    }
    this.#waiting += 1;
    this.#valuing = this.#takeValued(this.#valuing, orderId, report, symbol);
  }

  async #takeValued(before: Promise<void>, orderId: string, report: OrderReport, symbol: string): Promise<void> {
    await before;
    try {
      const fills = await Promise.all(report.fills.map((fill) => this.#reader.feeValues.valued(fill, symbol)));
      if (!this.#isEnded) this.#reader.onReport(orderId, { ...report, fills });
    } catch (error) {
      this.#reader.onError(error);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Whether no report waits for the value of a fee. */
  get isSettled(): boolean {
    return this.#waiting === 0;
  }

  /** Resolves when the reports taken so far are given on. */
  async settled(): Promise<void> {
    await this.#valuing;
  }

  /** Nothing is given on any more. */
  end(): void {
    this.#isEnded = true;
  }
}
