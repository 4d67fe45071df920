import { texts } from '#contract/errors.ts';
import { IconMoodSad } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Component } from 'react';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { isUnloaded, unloadedText } from './unloaded.ts';

interface BoundaryState {
  failure: 'broken' | 'unloaded' | null; // unloaded: its code could not be fetched
}

/** Shows a way out instead of an empty page when a part of the page breaks or cannot be fetched, as after an upgrade; `instead` takes its place where it is given. */
export class ErrorBoundary extends Component<{ children: ReactNode; instead?: ReactNode }, BoundaryState> {
  override state: BoundaryState = { failure: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { failure: isUnloaded(error) ? 'unloaded' : 'broken' };
  }

  override componentDidCatch(error: unknown): void {
    console.error('A part of the page broke:', error);
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    if (this.props.instead !== undefined) return this.props.instead;
    return (
      <div className="fl-panel fl-broken" role="alert">
        <EmptyState
          icon={<IconMoodSad size={22} />}
          text={failure === 'unloaded' ? unloadedText : texts.general}
          hint="Your bots are not affected: they run on the server."
        />
        <Button onClick={() => window.location.reload()}>Reload</Button>
      </div>
    );
  }
}
