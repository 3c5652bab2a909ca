/** Distance from the end, in CSS pixels, within which scrolling down takes up following again. */
const NEAR_END_PX = 24;

/** Distance that rounding alone can make, in CSS pixels. */
const ROUNDING_PX = 1;

/**
 * Keeps the end of a growing content in view, as long as the person has not turned to something else: by scrolling
 * up, or by unfolding something. Scrolling to the end, or `follow()`, takes it up again.
 */
export class ScrollFollow {
  #scroller;
  #onChange;
  #following = true;
  #lastTop = 0;

  /**
   * @param {HTMLElement} scroller the element that scrolls
   * @param {(following: boolean) => void} onChange
   */
  constructor(scroller, onChange) {
    this.#scroller = scroller;
    this.#onChange = onChange;
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    scroller.addEventListener('wheel', ({ deltaY }) => this.#wheeled(deltaY), { passive: true });
    // Neither of the next two bubbles, so both are caught on their way down.
    scroller.addEventListener('load', () => this.contentChanged(), true);
    scroller.addEventListener('toggle', () => this.#unfolded(), true);
    new ResizeObserver(() => this.contentChanged()).observe(scroller);
  }

  /** Goes to the end and stays there. */
  follow() {
    this.#setFollowing(true);
    this.contentChanged();
  }

  /** To be called when the content may have another size than before, for another reason than the person's doing. */
  contentChanged() {
    if (this.#following) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /**
   * Browsers turn the wheel into a movement of many small steps, which following would break off at the first.
   *
   * @param {number} deltaY
   */
  #wheeled(deltaY) {
    if (deltaY < 0 && this.#scroller.scrollTop > 0) this.#setFollowing(false);
  }

  #unfolded() {
    // Not before what is unfolded has been filled in.
    requestAnimationFrame(() => this.#setFollowing(this.#distanceToEnd() <= NEAR_END_PX));
  }

  #distanceToEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return scrollHeight - clientHeight - scrollTop;
  }

  #scrolled() {
    const distance = this.#distanceToEnd();
    const { scrollTop } = this.#scroller;
    // Content that shrinks moves the position up too, but leaves it at the end.
    if (scrollTop < this.#lastTop && distance > ROUNDING_PX) this.#setFollowing(false);
    if (scrollTop > this.#lastTop && distance <= NEAR_END_PX) this.#setFollowing(true);
    this.#lastTop = scrollTop;
  }

  /** @param {boolean} following */
  #setFollowing(following) {
    if (following === this.#following) return;
    this.#following = following;
    this.#onChange(following);
  }
}
