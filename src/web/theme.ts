import type { CSSVariablesResolver, MantineColorsTuple } from '@mantine/core';
import { createTheme } from '@mantine/core';

const brand: MantineColorsTuple = [
  '#eaf0ff',
  '#d2dfff',
  '#a5bdff',
  '#7da0ff',
  '#5c87ff',
  '#4274ff',
  '#2962ff',
  '#1f52e0',
  '#1747c4',
  '#0f3aa6',
];

/** From text to the page's ground; the ends are those of the charts. */
const dark: MantineColorsTuple = [
  '#d8dbe3',
  '#b9becb',
  '#a3a9ba',
  '#8d94a7',
  '#434a5e',
  '#2a2e39',
  '#171b26',
  '#0f131c',
  '#0b0e15',
  '#07090e',
];

const closeLabel = { 'aria-label': 'Close' };

/** The look of every Mantine part: a dense, calm terminal. */
export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: 6,
  colors: { brand, dark },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.875rem' } } },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'xs', radius: 'sm' } },
    TextInput: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs' } },
    MultiSelect: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    Switch: { defaultProps: { size: 'sm' } },
    Badge: { defaultProps: { size: 'sm', radius: 'sm' } },
    Alert: { defaultProps: { radius: 'sm' } },
    Tabs: { defaultProps: { keepMounted: false } },
    CloseButton: { defaultProps: closeLabel },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: closeLabel,
        overlayProps: { backgroundOpacity: 0.6 },
        transitionProps: { duration: 0 },
        attributes: { header: { role: 'presentation' } }, // else each dialog's header counts as a second banner of the page
      },
    },
  },
});

/** Colours beyond Mantine's own. Money has up and down; actions have the brand; live has amber; long and short have their own. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--mantine-line-height': '1.45' },
  dark: {
    '--mantine-color-body': '#0f131c',
    '--mantine-color-text': '#d8dbe3',
    '--mantine-color-dimmed': '#a3a9ba',
    '--mantine-color-placeholder': '#8d94a7',
    '--mantine-color-error': '#ff7b78',
    '--mantine-color-anchor': '#8aaaff',
    '--mantine-color-default': '#1d2230',
    '--mantine-color-default-hover': '#262c3c',
    '--mantine-color-default-border': '#434a5e',
    '--mantine-color-disabled': '#1d2230',
    '--mantine-color-disabled-border': '#2a2e39',
    '--mantine-color-disabled-color': '#7d8498',
    '--fl-panel': '#171b26',
    '--fl-panel-raised': '#1d2230',
    '--fl-line': '#2a2e39',
    '--fl-up': '#2fb8aa',
    '--fl-down': '#ff6b68',
    '--fl-brand-text': '#8aaaff',
    '--fl-live': '#f5a524',
    '--fl-live-ground': '#f5a524',
    '--fl-live-ink': '#1d1300',
    '--fl-paper': '#8d94a7',
    '--fl-paper-ground': '#2a3040',
    '--fl-paper-ink': '#d8dbe3',
    '--fl-good': '#4cc38a',
    '--fl-shadow': '0 12px 32px rgb(0 0 0 / 45%)',
  },
  light: {
    '--mantine-color-body': '#f1f3f8',
    '--mantine-color-text': '#131722',
    '--mantine-color-dimmed': '#565d70',
    '--mantine-color-placeholder': '#646b7d',
    '--mantine-color-error': '#c62828',
    '--mantine-color-anchor': '#1f52e0',
    '--mantine-color-default': '#ffffff',
    '--mantine-color-default-hover': '#eef1f7',
    '--mantine-color-default-border': '#b6bccb',
    '--mantine-color-disabled': '#eceff5',
    '--mantine-color-disabled-border': '#d9dde7',
    '--mantine-color-disabled-color': '#7b8294',
    '--fl-panel': '#ffffff',
    '--fl-panel-raised': '#f7f8fb',
    '--fl-line': '#d9dde7',
    '--fl-up': '#00796b',
    '--fl-down': '#c62828',
    '--fl-brand-text': '#1f52e0',
    '--fl-live': '#a45d00',
    '--fl-live-ground': '#ffc45c',
    '--fl-live-ink': '#2b1a00',
    '--fl-paper': '#646b7d',
    '--fl-paper-ground': '#e3e7f0',
    '--fl-paper-ink': '#2b3142',
    '--fl-good': '#18794e',
    '--fl-shadow': '0 12px 32px rgb(19 23 34 / 18%)',
  },
});
