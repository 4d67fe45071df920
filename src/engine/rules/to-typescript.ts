import type { Amount, Line, LineOperand, Operand, Operator, Rule, RulesDocument, SignalRule } from './document.ts';
import { nameOf } from './compile-rules.ts';
import { rulesIndicator } from './indicator-table.ts';
import { isLine, isOn } from './piece-kinds.ts';
import { startupCandlesOf } from './startup.ts';
import { otherPairsOf, type SignalList, signalLists } from './walk.ts';
import { wordsOf } from './words.ts';

/**
 * A strategy file that does what the document does, for those who have outgrown it.
 *
 * Each line and each condition is a constant with its own name, computed with the functions that `compileRules` uses.
 * Needs: a document without faults
 */
export function toTypeScript(document: RulesDocument): string {
  const writer = new Writer();
  const guard = document.guard.filter(isOn).map((rule) => writer.rule(rule));
  const signals = signalLists.flatMap((list) => document[list].filter(isActive).map((signal) => writer.signal(list, signal, guard)));
  const { title, description, losesWhen, kind, defaults, parameters, positionPlan } = document;
  const name = nameOf(title);
  const others = otherPairsOf(document);
  if (positionPlan !== null) writer.use('rules/position-plan.ts', 'followPlan');
  const fields = { name, title, description, losesWhen, kind, canShort: document.enterShort.some(isActive) };
  const settings = {
    startupCandles: startupCandlesOf(document, defaults.timeframe),
    defaults,
    parameters: withoutEmptyUnits(parameters),
    ...(others.length === 0 ? {} : { series: others.map((symbol) => ({ symbol })) }),
  };
  const named = (values: object): string[] => Object.entries(values).map(([field, value]) => `  ${field}: ${JSON.stringify(value)},`);
  return [
    "import type { Strategy } from '#engine/strategy/strategy.ts';",
    "import { noSignals } from '#engine/strategy/strategy.ts';",
    ...writer.imports(),
    '',
    ...wordsOf(document).map((sentence) => `// ${sentence}`),
    'const strategy: Strategy = {',
    ...named(fields),
    ...named(settings),
    `  compute(candles, parameters, others = {}) {`,
    `    const { length } = candles.openTime;`,
    `    const tags: string[] = ${JSON.stringify([...new Set(signalLists.flatMap((list) => document[list].filter(isActive).map(({ tag }) => tag)))])};`,
    '    const signals = { ...noSignals(length), tags, enterTag: new Uint8Array(length), exitTag: new Uint8Array(length) };',
    ...writer.lines.map((line) => `    ${line}`),
    ...inSequence(signals).map((line) => `    ${line}`),
    '    return signals;',
    '  },',
    ...(positionPlan === null ? [] : [`  callbacks: { adjustPosition: followPlan(${JSON.stringify(positionPlan)}) },`]),
    '};',
    '',
    'export default strategy;',
    '',
  ].join('\n');
}

/** A signal as a statement, and the list it is of. */
interface Written {
  list: SignalList;
  statement: string;
}

/** Of a list the first signal that holds gives the tag, so it is written last. */
function inSequence(signals: readonly Written[]): string[] {
  return signalLists.flatMap((list) =>
    signals
      .filter((signal) => signal.list === list)
      .toReversed()
      .map(({ statement }) => statement),
  );
}

function isActive({ isOff, when }: SignalRule): boolean {
  return isOff !== true && isOn(when);
}

function withoutEmptyUnits(parameters: RulesDocument['parameters']): object {
  return Object.fromEntries(Object.entries(parameters).map(([name, { unit, ...rest }]) => [name, unit === '' ? rest : { ...rest, unit }]));
}

/** Collects the constants of a file, and what it imports. */
class Writer {
  readonly lines: string[] = [];
  readonly #names = new Map<string, string>(); // by the expression
  readonly #imports = new Map<string, Set<string>>(); // by file
  #count = 0;

  use(file: string, name: string): string {
    const names = this.#imports.get(file) ?? new Set();
    names.add(name);
    this.#imports.set(file, names);
    return name;
  }

  imports(): string[] {
    return [...this.#imports].map(([file, names]) => `import { ${[...names].toSorted().join(', ')} } from '#engine/${file}';`).toSorted();
  }

  signal(list: SignalList, { when, tag }: SignalRule, guard: readonly string[]): Written {
    const isEntry = list.startsWith('enter');
    const all = isEntry ? [this.rule(when), ...guard] : [this.rule(when)];
    const held = all.length === 1 ? all[0] : `${this.use('rules/flags.ts', 'allOf')}(${all.join(', ')})`;
    const mark = this.use('rules/mark.ts', 'mark');
    const number = `tags.indexOf(${JSON.stringify(tag)}) + 1`;
    return { list, statement: `${mark}(signals.${list}, signals.${isEntry ? 'enterTag' : 'exitTag'}, ${held}, ${number});` };
  }

  /** The name of the constant that holds the flags of a rule. */
  rule(rule: Rule): string {
    const held = this.#constant('is', this.#ruleText(rule));
    if (rule.within === undefined || rule.within === 1) return held;
    return this.#constant('was', `${this.use('rules/flags.ts', 'withinLast')}(${held}, ${amountText(rule.within)})`);
  }

  #ruleText(rule: Rule): string {
    const flag = (name: string): string => this.use('rules/flags.ts', name);
    switch (rule.kind) {
      case 'compare':
        return `${flag(comparisons[rule.operator])}(${this.#operand(rule.left)}, ${this.#operand(rule.right)})`;
      case 'near':
        return `${flag('isNear')}(${this.#operand(rule.left)}, ${this.#operand(rule.right)}, ${amountText(rule.distance)})`;
      case 'moves':
        return this.#movesText(rule);
      default: {
        const rules = rule.rules.filter(isOn).map((inner) => this.rule(inner));
        if (rule.kind === 'atLeast') return `${flag('atLeastOf')}(${[amountText(rule.count), ...rules].join(', ')})`;
        return `${flag({ all: 'allOf', any: 'anyOf', none: 'noneOf' }[rule.kind])}(${rules.join(', ')})`;
      }
    }
  }

  #movesText({ operand, direction, candles }: Rule & { kind: 'moves' }): string {
    const moved = this.use('rules/flags.ts', direction);
    if (!isLine(operand)) return `${moved}(${this.#operand(operand)}, ${amountText(candles)})`;
    const { columns, rows } = this.#series(operand);
    const held = `${moved}(${this.#back(this.#line(operand, columns), operand.candlesBack)}, ${amountText(candles)})`;
    return rows === null ? held : `${this.use('market/longer-candles.ts', 'flagsOnOwnRows')}(${held}, ${rows})`;
  }

  /** The name of the constant that holds the column of an operand. */
  #operand(operand: Operand): string {
    const line = (name: string): string => this.use('rules/lines.ts', name);
    switch (operand.kind) {
      case 'number':
        return this.#constant('line', `${line('constant')}(length, ${amountText(operand.value)})`);
      case 'minuteOfDay':
      case 'weekday':
        return this.#back(this.#constant('line', `${line(operand.kind)}(candles)`), operand.candlesBack);
      case 'candlesSince': {
        const text = `${line('candlesSince')}(${this.rule(operand.rule)}, ${operand.upTo})`;
        return this.#back(this.#constant('line', text), operand.candlesBack);
      }
      case 'offset': {
        const times = `${operand.sign === 'plus' ? '' : '-'}${amountText(operand.times)}`.replace(/^--/u, '');
        return this.#constant('line', `${line('shifted')}(${this.#operand(operand.base)}, ${times}, ${this.#operand(operand.unit)})`);
      }
      default: {
        const { columns, rows } = this.#series(operand);
        const column = this.#back(this.#line(operand, columns), operand.candlesBack);
        return rows === null ? column : this.#constant('line', `${this.use('market/longer-candles.ts', 'onOwnRows')}(${column}, ${rows})`);
      }
    }
  }

  #back(column: string, back: Amount | undefined): string {
    if (back === undefined || back === 0) return column;
    return this.#constant('line', `${this.use('rules/lines.ts', 'rowsBack')}(${column}, ${amountText(back)})`);
  }

  /** The expressions of the candles of a series, and of how its rows lie to the strategy's own. */
  #series({ symbol, timeframe }: Pick<LineOperand, 'symbol' | 'timeframe'>): { columns: string; rows: string | null } {
    if (symbol === undefined && timeframe === undefined) return { columns: 'candles', rows: null };
    const series = this.#constant(
      'series',
      `${this.use('rules/series.ts', 'seriesOf')}(candles, others, ${JSON.stringify({ symbol, timeframe })})`,
    );
    return { columns: `${series}.candles`, rows: `${series}.rows` };
  }

  #line(line: Line, columns: string): string {
    const use = (name: string): string => this.use('rules/lines.ts', name);
    switch (line.kind) {
      case 'price':
        return this.#constant('line', `${use('priceLine')}(${columns}, ${JSON.stringify(line.price)})`);
      case 'indicator':
        return `${this.#indicator(line, columns)}.${line.output}`;
      default:
        return this.#constant('line', `${use(line.kind)}(${this.#line(line.of, columns)}, ${amountText(line.candles)})`);
    }
  }

  #indicator({ indicator, settings, of = { kind: 'price', price: 'close' } }: Line & { kind: 'indicator' }, columns: string): string {
    const source = this.#line(of, columns);
    const known = of.kind === 'price' ? source : `${this.use('rules/lines.ts', 'withoutHoles')}(${source})`;
    const numbers = Object.keys(rulesIndicator(indicator).settings).map((name) => `${name}: ${amountText(settings[name])}`);
    const table = this.use('rules/indicator-table.ts', 'rulesIndicators');
    return this.#constant(indicator, `${table}.${indicator}.compute(${columns}, ${known}, { ${numbers.join(', ')} })`);
  }

  #constant(kind: string, expression: string): string {
    const known = this.#names.get(expression);
    if (known !== undefined) return known;
    const name = `${kind}${++this.#count}`;
    this.#names.set(expression, name);
    this.lines.push(`const ${name} = ${expression};`);
    return name;
  }
}

const comparisons: Record<Operator, string> = {
  above: 'isAbove',
  below: 'isBelow',
  atLeast: 'isAtLeast',
  atMost: 'isAtMost',
  crossesAbove: 'crossesAbove',
  crossesBelow: 'crossesBelow',
};

function amountText(amount: Amount): string {
  return typeof amount === 'number' ? String(amount) : `parameters.${amount.parameter}`;
}
