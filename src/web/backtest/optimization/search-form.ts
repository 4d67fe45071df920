import type { LossName } from '#engine/lab/losses.ts';
import { dimensionFault, type SpaceName } from '#engine/lab/dimension.ts';
import type { SamplerName } from '#engine/lab/study.ts';
import { mostEpochs, studyTexts } from '#contract/studies.ts';
import { createStore, useStore } from 'zustand';
import { isRatio } from './study-words.ts';
import type { NewStudy, StudyDimension } from './use-studies.ts';

/** A range as it is typed, in per cent where a person reads per cent. */
export interface TypedRange {
  min: number | string;
  max: number | string;
  step: number | string;
}

/** How a study is to search, as it is filled in. */
export interface SearchForm {
  spaces: SpaceName[];
  ranges: Readonly<Record<string, TypedRange>>; // of numbers whose usual range was changed, by strategy and name
  loss: LossName;
  sampler: SamplerName;
  epochs: number | string;
  minTrades: number | string;
  seed: number | string; // empty: by chance
  earlyStop: number | string; // empty: never
  sealedPercent: number | string; // empty: nothing
}

const first: SearchForm = {
  spaces: ['buy', 'stoploss'],
  ranges: {},
  loss: 'SharpeHyperOptLossDaily',
  sampler: 'tpe',
  epochs: 500,
  minTrades: 10,
  seed: '',
  earlyStop: '',
  sealedPercent: 20,
};

const formStore = createStore<SearchForm>(() => first);

/** The form, followed; it outlives the tab. */
export function useSearchForm(): SearchForm {
  return useStore(formStore);
}

/** Changes fields of the form. */
export function fillSearch(changes: Partial<SearchForm>): void {
  formStore.setState(changes);
}

/** By which key a changed range is kept. */
export function rangeKey(strategyId: string | null, name: string): string {
  return `${strategyId ?? ''} ${name}`;
}

/** The usual range of a number as it is typed. */
export function typedRange(dimension: StudyDimension): TypedRange {
  const shown = (value: number) => (isRatio(dimension) ? Number((value * 100).toPrecision(10)) : value);
  return { min: shown(dimension.min), max: shown(dimension.max), step: shown(dimension.step) };
}

/** What is wrong with the form, by field; only those with a fault. */
export type SearchIssues = Partial<Record<'spaces' | 'epochs' | 'minTrades' | 'seed' | 'earlyStop' | 'sealed', string>> & {
  ranges: Readonly<Record<string, string>>; // by name
};

/** What is wrong with the form, in the sentences of the server. */
export function searchIssues(form: SearchForm, strategyId: string | null, dimensions: readonly StudyDimension[]): SearchIssues {
  const ranges: Record<string, string> = {};
  for (const dimension of dimensions) {
    const own = rangeOf(form, strategyId, dimension);
    const fault = own === null ? null : dimensionFault({ ...dimension, ...own });
    if (fault !== null) ranges[dimension.name] = fault;
  }
  const isWhole = (value: number | string, least: number, most: number): boolean => {
    const number = numberOf(value);
    return number !== null && Number.isInteger(number) && number >= least && number <= most;
  };
  const sealed = numberOf(form.sealedPercent);
  return {
    ranges,
    ...(form.spaces.length === 0 ? { spaces: studyTexts.spaces } : {}),
    ...(isWhole(form.epochs, 2, mostEpochs) ? {} : { epochs: studyTexts.epochs }),
    ...(isWhole(form.minTrades, 0, 100_000) ? {} : { minTrades: studyTexts.minTrades }),
    ...(form.seed === '' || isWhole(form.seed, 0, 2_147_483_647) ? {} : { seed: studyTexts.seed }),
    ...(form.earlyStop === '' || isWhole(form.earlyStop, 1, mostEpochs) ? {} : { earlyStop: studyTexts.earlyStop }),
    ...(form.sealedPercent === '' || (sealed !== null && sealed >= 1 && sealed <= 90) ? {} : { sealed: studyTexts.sealed }),
  };
}

/** Whether nothing is wrong. */
export function hasNoIssue({ ranges, ...others }: SearchIssues): boolean {
  return Object.keys(ranges).length === 0 && Object.keys(others).length === 0;
}

/** What a form without issues asks for. */
export function searchOf(form: SearchForm, strategyId: string | null, dimensions: readonly StudyDimension[]): NewStudy['search'] {
  return {
    spaces: form.spaces,
    ranges: dimensions.flatMap((dimension) => {
      const own = rangeOf(form, strategyId, dimension);
      return own === null ? [] : [{ name: dimension.name, ...own }];
    }),
    loss: form.loss,
    sampler: form.sampler,
    epochs: Number(form.epochs),
    min_trades: Number(form.minTrades),
    seed: numberOf(form.seed),
    early_stop: numberOf(form.earlyStop),
    sealed_ratio: numberOf(form.sealedPercent) === null ? null : Number((Number(form.sealedPercent) / 100).toPrecision(10)),
  };
}

/** The range of a number that was changed; null for the usual one. */
export function rangeOf(
  form: SearchForm,
  strategyId: string | null,
  dimension: StudyDimension,
): Pick<StudyDimension, 'min' | 'max' | 'step'> | null {
  const typed = form.ranges[rangeKey(strategyId, dimension.name)];
  if (typed === undefined) return null;
  const meant = (value: number | string) => {
    const number = numberOf(value) ?? NaN;
    return isRatio(dimension) ? Number((number / 100).toPrecision(12)) : number;
  };
  return { min: meant(typed.min), max: meant(typed.max), step: meant(typed.step) };
}

function numberOf(value: number | string): number | null {
  const number = typeof value === 'number' ? value : value.trim() === '' ? NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}
