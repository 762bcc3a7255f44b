"""wclib: teach a code-writing model to paint, and explain every number on the way.

The numbered notebooks tell the story; this library does the work. Start with
``python -m wclib doctor`` and ``notebooks/00_start_here.ipynb``.
"""

__version__ = "0.1.0"
