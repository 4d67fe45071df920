import type { ChartOptions, DeepPartial } from 'lightweight-charts';
import { ColorType, CrosshairMode } from 'lightweight-charts';

/** The colours of the dark panel that every chart lies in, whatever the look of the page: see docs/decisions/0011. */
const colors = { ground: '#171b26', text: '#a3a9ba', line: '#232836', border: '#2a2e39' } as const;

/** Options of every chart. The library's logo is off, because it breaks the content policy; the footer names the library. */
export function chartOptions(): DeepPartial<ChartOptions> {
  const { ground, text, line, border } = colors;
  return {
    layout: {
      background: { type: ColorType.Solid, color: ground },
      textColor: text,
      fontFamily: "'Inter Variable', system-ui, sans-serif",
      fontSize: 11,
      attributionLogo: false,
      panes: { separatorColor: border, separatorHoverColor: border },
    },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
    rightPriceScale: { borderColor: border },
    timeScale: { borderColor: border, timeVisible: true, secondsVisible: false, rightOffset: 4 },
    crosshair: { mode: CrosshairMode.Normal },
    localization: { locale: 'en-GB' },
  };
}
