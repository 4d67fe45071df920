import { createStore, useStore } from 'zustand';

/** The two looks. */
export type Theme = 'dark' | 'light';

/** The key of the choice in the local storage. */
export const themeKey = 'theme';

/** The look now. */
export const themeStore = createStore<{ theme: Theme }>(() => ({ theme: 'dark' }));

/** The look at start: the stored choice, else what the system prefers. */
export function themeAtStart(stored: string | null, systemIsDark: boolean): Theme {
  if (stored === 'dark' || stored === 'light') return stored;
  return systemIsDark ? 'dark' : 'light';
}

/** Applies the stored choice, else what the system prefers. */
export function applyTheme(): void {
  show(themeAtStart(localStorage.getItem(themeKey), window.matchMedia('(prefers-color-scheme: dark)').matches));
}

/** Flips the look and keeps the choice. */
export function toggleTheme(): void {
  const theme = themeStore.getState().theme === 'dark' ? 'light' : 'dark';
  localStorage.setItem(themeKey, theme);
  show(theme);
}

/** The look now, followed. */
export function useTheme(): Theme {
  return useStore(themeStore, (state) => state.theme);
}

function show(theme: Theme): void {
  document.documentElement.classList.toggle('dark', theme === 'dark');
  themeStore.setState({ theme });
}
