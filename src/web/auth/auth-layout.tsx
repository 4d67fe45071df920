import './auth.css';
import type { FormEvent, ReactNode } from 'react';
import { Logo } from '../ui/logo.tsx';

/** See `AuthLayout`. */
export interface AuthLayoutProps {
  title: string;
  intro?: ReactNode;
  onSubmit: () => void;
  children: ReactNode; // the form's fields, messages and buttons
  footer?: ReactNode; // links to other screens
}

/** The frame of every screen before the dashboard: a form in the middle of the page. */
export function AuthLayout({ title, intro, onSubmit, children, footer }: AuthLayoutProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <main className="auth">
      <Logo size={32} />
      <section className="auth-card" aria-labelledby="auth-title">
        <h1 id="auth-title">{title}</h1>
        {intro === undefined ? null : <div className="auth-intro">{intro}</div>}
        <form noValidate onSubmit={submit}>
          {children}
        </form>
        {footer === undefined ? null : <footer className="auth-footer">{footer}</footer>}
      </section>
    </main>
  );
}
