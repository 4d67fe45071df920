import { compileRules } from '#engine/rules/compile-rules.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { WhatIfSetup } from './messages.ts';

/** Loads a module of the server by its address. */
export type LoadModule = (address: string) => Promise<Readonly<Record<string, unknown>>>;

/** The strategy of a setup, with the warm-up that the server has said. Fails: Error in one sentence */
export async function strategyOf({ source, strategy: about, timeframe }: WhatIfSetup, load: LoadModule): Promise<Strategy> {
  const strategy = await sourceOf(source, about.class_name, timeframe, load);
  return { ...strategy, startupCandles: about.startup_candles };
}

async function sourceOf(
  source: WhatIfSetup['source'],
  className: string,
  timeframe: WhatIfSetup['timeframe'],
  load: LoadModule,
): Promise<Strategy> {
  if (source === null) throw new Error('The server calculates this strategy.');
  // The server has checked the document against this version of the program.
  if (source.kind === 'rules') return compileRules(source.document as unknown as RulesDocument, { timeframe });
  const exported = await load(source.module);
  if (source.kind === 'program') {
    const { strategyOfClass } = exported as { strategyOfClass: (name: string) => Strategy };
    return strategyOfClass(className);
  }
  const strategy = exported[source.export_name] as Strategy | undefined;
  if (strategy === undefined) throw new Error(`There is no strategy ${source.export_name} in this file.`);
  const { guardCallbacks } = (await load(source.guard)) as { guardCallbacks: (of: Strategy) => StrategyCallbacks };
  return { ...strategy, callbacks: guardCallbacks(strategy) };
}
