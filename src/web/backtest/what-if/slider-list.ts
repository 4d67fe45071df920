import { roiAtOnce, trailingDistance, type WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import { formatStake } from '../../ui/money.ts';
import { formatRatio } from '../../ui/ratio.ts';
import type { WhatIfSetup } from './replay/messages.ts';

/** Something that can be turned. */
export interface SliderOf {
  key: string; // 'stoploss', 'parameters.fastPeriod'
  label: string;
  hint: string | null;
  min: number;
  max: number;
  step: number;
  real: number | null; // null: there is none, which is shown as the upper end
  show: (value: number | null) => string;
}

/** Sliders that belong together. */
export interface SliderGroup {
  name: 'Risk' | 'Money' | 'Strategy';
  sliders: SliderOf[];
}

/** Values of sliders by their keys, where they differ from what is real. */
export type Turned = Readonly<Record<string, number>>;

const percent = (decimals: number) => (value: number | null) => (value === null ? 'none' : formatRatio(value, decimals));
const orNone = (value: number | null): string => (value === 0 ? 'off' : percent(2)(value));

/** The fee that a replay pays for each fill: its own, else the market's. */
export function realFee({ fee }: TradingSettings, market: { takerFee: number; makerFee: number }): number {
  return fee ?? Math.max(market.takerFee, market.makerFee);
}

/** What can be turned in a setup; what is real lies within the range of each. */
export function sliderGroups(setup: WhatIfSetup, fee: number): SliderGroup[] {
  const settings = setup.settings as unknown as TradingSettings; // as the engine of the server has made it
  const trailing = trailingDistance(settings);
  const offset = settings.trailingStopPositiveOffset;
  const roi = roiAtOnce(settings);
  const { stoploss, stakeAmount, maxOpenTrades } = settings;
  const ratio = (key: string, label: string, real: number | null, usual: number, min = 0): SliderOf => ({
    key,
    label,
    hint: null,
    min,
    max: Math.max(usual, rounded(real ?? 0)),
    step: 0.001,
    real,
    show: min === 0 ? orNone : percent(2),
  });
  return [
    {
      name: 'Risk',
      sliders: [
        { ...ratio('stoploss', 'Stop Loss', stoploss, 0, 0), min: Math.min(-0.2, -rounded(-stoploss)), max: -0.001, show: percent(2) },
        ratio('trailingStop', 'Trailing Stop', trailing, 0.1),
        { ...ratio('trailingOffset', 'Trailing Offset', offset, 0.1), show: percent(2) },
        ratio('roiAtOnce', 'ROI at Once', roi, 0.2, 0.001),
      ],
    },
    {
      name: 'Money',
      sliders: [
        ...(stakeAmount === 'unlimited' ? [] : [stakeSlider(stakeAmount, setup.currency)]),
        ...(maxOpenTrades < 1
          ? []
          : [
              {
                key: 'maxOpenTrades',
                label: 'Max Open Trades',
                hint: null,
                min: 1,
                max: Math.max(10, 2 * maxOpenTrades),
                step: 1,
                real: maxOpenTrades,
                show: String,
              },
            ]),
        { ...ratio('fee', 'Fee', fee, 0.003), hint: setup.fee_note, step: 0.00005, show: percent(3) },
      ],
    },
    {
      name: 'Strategy',
      sliders: setup.declared.map(({ name, meaning, min, max, step, unit }) => ({
        key: `parameters.${name}`,
        label: wordsOf(name),
        hint: meaning,
        min,
        max,
        step,
        real: setup.parameters[name] ?? min,
        show: (value: number | null) => (unit === '' ? String(value) : `${value} ${unit}`),
      })),
    },
  ];
}

/** The changes that turned sliders mean. */
export function changesOf(turned: Turned): WhatIfChanges {
  const parameters = Object.entries(turned).flatMap(([key, value]) =>
    key.startsWith('parameters.') ? [[key.slice(11), value] as const] : [],
  );
  const settings = Object.entries(turned).filter(([key]) => !key.startsWith('parameters.'));
  return { ...Object.fromEntries(settings), ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters) }) };
}

/** The value that a slider stands for, without the noise of adding steps. */
export function stepped({ min, step }: Pick<SliderOf, 'min' | 'step'>, value: number): number {
  const decimals = Math.max(decimalsOf(step), decimalsOf(min));
  return Number(value.toFixed(decimals));
}

function stakeSlider(stake: number, currency: string): SliderOf {
  const step = 10 ** (Math.floor(Math.log10(stake)) - 1);
  return {
    key: 'stake',
    label: 'Stake',
    hint: null,
    min: step,
    max: rounded(stake * 5, step),
    step,
    real: stake,
    show: (value) => formatStake(value ?? stake, currency),
  };
}

/** The next step above. */
function rounded(value: number, step = 0.01): number {
  return Number((Math.ceil(value / step - 1e-9) * step).toFixed(10));
}

function decimalsOf(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/u.exec(String(value)) ?? [];
  return Math.min(Math.max(fraction.length - Number(exponent), 0), 12);
}

/** 'fastPeriod' as 'Fast period'. */
function wordsOf(name: string): string {
  const words = name.replaceAll('_', ' ').replaceAll(/(?<=[a-z0-9])[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
