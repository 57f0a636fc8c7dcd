"""The report as a list of pictures to draw, drawn by several processes, then written together."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from analysis import comparison, figure, gantt, memory, page, stage_graph, sweep, verbs
from analysis.files import write_together
from analysis.gantt_view import enlarged_span
from analysis.load import load

_MOST_PROCESSES = 8


@dataclass
class Picture:
    """A PNG file, its path relative to the results folder, and how to draw it."""

    path: str
    painter: object
    arguments: tuple


def make_report(folder, points=None, jobs=1):
    """Reads the results in `folder`, writes pictures and report.html there; returns the page's path.

    Nothing is written unless everything could be read and drawn.
    """
    results = load(folder, points)
    pictures = list_pictures(results)
    drawn = draw_all(pictures, min(jobs, _MOST_PROCESSES, len(pictures)))
    content = page.render(results, drawn)
    write_together(results.folder, {**drawn, "report.html": content})
    return results.folder / "report.html"


def list_pictures(results):
    """All pictures that the files at hand allow."""
    pictures = []
    if results.is_sweep:
        pictures.append(Picture("sweep.png", sweep.paint, (results,)))
    else:
        pictures.append(Picture("comparison.png", comparison.paint, (results.points[0],)))
    for point in results.points:
        for run in point.runs:
            pictures += _pictures_of(run, run.folder.relative_to(results.folder).as_posix())
    return pictures


def _pictures_of(run, base):
    pictures = []
    if run.timeline is not None and len(run.timeline):
        pictures.append(Picture(f"{base}/timeline.png", gantt.paint, (run,)))
        span = enlarged_span(run)
        if span is not None:
            pictures.append(Picture(f"{base}/timeline_start.png", gantt.paint, (run, span)))
    if run.memory is not None and len(run.memory):
        pictures.append(Picture(f"{base}/memory.png", memory.paint, (run,)))
    if run.stages is not None and len(run.stages):
        pictures.append(Picture(f"{base}/stage_graph.png", stage_graph.paint, (run,)))
    return pictures


def draw_all(pictures, jobs):
    """{path: PNG bytes}, in the order of `pictures` whatever the number of processes."""
    if jobs < 2:
        return {
            picture.path: figure.draw(picture.painter, *picture.arguments) for picture in pictures
        }
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("fork"), initializer=verbs.end_at_once
    ) as pool:
        tasks = [
            (picture.path, pool.submit(figure.draw, picture.painter, *picture.arguments))
            for picture in pictures
        ]
        return {path: task.result() for path, task in tasks}
