/** Catches what a screen throws while it is drawn, so that the window stays and says what to do. */
import { Component, type ReactNode } from 'react'

interface FailureBoundaryProps {
  /** Another value clears the failure: a new screen gets its chance. */
  resetKey: string
  /** Returns the content to show instead, from the text of the failure. */
  fallback: (detail: string) => ReactNode
  children: ReactNode
}

/** React offers this to classes only. */
export class FailureBoundary extends Component<FailureBoundaryProps, { detail: string | null; resetKey: string }> {
  override state = { detail: null, resetKey: this.props.resetKey }

  static getDerivedStateFromError(error: unknown) {
    return { detail: error instanceof Error ? error.message : String(error) }
  }

  static getDerivedStateFromProps(props: FailureBoundaryProps, state: { resetKey: string }) {
    return props.resetKey === state.resetKey ? null : { detail: null, resetKey: props.resetKey }
  }

  override render() {
    return this.state.detail === null ? this.props.children : this.props.fallback(this.state.detail)
  }
}
